package io.ratelimit.spring.internal.web;

import io.ratelimit.spring.RefusalResponse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;
import org.springframework.web.util.HtmlUtils;

/** A plain page for browsers, if the application has no error view of its own. */
final class RefusalPage {

    private static final String PAGE = """
            <!DOCTYPE html>
            <html>
            <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%1$s</title></head>
            <body style="font-family: sans-serif; margin: 3em">
            <h1>%1$s</h1>
            <p>%2$s</p>
            </body>
            </html>
            """;

    private RefusalPage() {}

    /** Whether {@code Accept} names HTML, and nothing better that is JSON. */
    public static boolean isRequested(@Nullable String accept) {
        if (accept == null || !accept.contains("html")) {
            return false;
        }
        try {
            List<MediaType> types = new ArrayList<>(MediaType.parseMediaTypes(accept));
            types.sort(Comparator.comparingDouble(MediaType::getQualityValue).reversed());
            return types.stream()
                    .filter(type -> isHtml(type) || isJson(type))
                    .findFirst()
                    .map(RefusalPage::isHtml)
                    .orElse(false);
        } catch (InvalidMediaTypeException malformed) {
            return false;
        }
    }

    public static RefusalResponse of(RefusalResponse refusal, String title, @Nullable String detail) {
        String retryAfter = refusal.headers().get("Retry-After");
        String text = detail != null ? detail : retryAfter == null ? "" : "Please try again in " + retryAfter + " s.";
        return refusal.withBody(
                "text/html;charset=UTF-8", PAGE.formatted(HtmlUtils.htmlEscape(title), HtmlUtils.htmlEscape(text)));
    }

    private static boolean isHtml(MediaType type) {
        return MediaType.TEXT_HTML.equalsTypeAndSubtype(type)
                || MediaType.APPLICATION_XHTML_XML.equalsTypeAndSubtype(type);
    }

    private static boolean isJson(MediaType type) {
        return type.isConcrete() && type.getSubtype().endsWith("json");
    }
}
