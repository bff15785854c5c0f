package io.ratelimit.spring.http;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads one parameter from a query string, and nothing from a body: whoever handles the request wants that itself. */
public final class QueryParam {

    private static final Pattern AND = Pattern.compile("&");

    private QueryParam() {}

    /** The first value of that name, decoded where it can be; null if there is none. */
    public static @Nullable String first(String query, String name) {
        for (String pair : AND.split(query, -1)) {
            int equals = pair.indexOf('=');
            if (decoded(equals < 0 ? pair : pair.substring(0, equals)).equals(name)) {
                return equals < 0 ? "" : decoded(pair.substring(equals + 1));
            }
        }
        return null;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return text; // a broken escape is still a value, and still one subject
        }
    }
}
