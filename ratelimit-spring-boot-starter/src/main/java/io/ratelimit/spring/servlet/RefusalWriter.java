package io.ratelimit.spring.servlet;

import io.ratelimit.spring.RefusalHandler;
import io.ratelimit.spring.RefusalResponse;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.http.ProblemResponse;
import io.ratelimit.spring.http.RefusalPage;
import io.ratelimit.spring.key.ClientAddresses;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.LocaleResolver;
import org.springframework.web.servlet.View;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Answers refused requests, for the filter and for annotated methods alike: as a {@link RefusalHandler} says, as a page
 * for browsers, or as a problem. The answer is written as it stands. An error dispatch would lose the headers, and with
 * Spring Security the status too. Thread-safe.
 */
public final class RefusalWriter {

    private static final Logger LOG = LoggerFactory.getLogger(RefusalWriter.class);

    private final ApplicationContext context;
    private final ClientAddresses addresses;
    private final RefusalCors cors;
    private final ErrorViews views;

    public RefusalWriter(ApplicationContext context, ClientAddresses addresses) {
        this.context = context;
        this.addresses = addresses;
        this.cors = new RefusalCors(context);
        this.views = new ErrorViews(context);
    }

    /** Whether the failure is one that {@link #write} answers. */
    static boolean answers(Throwable failure) {
        return ProblemResponse.of(failure, name -> true) != null;
    }

    /**
     * Answers instead of whatever the response holds so far.
     *
     * @param shown whether clients know of a limit of that name
     * @throws IllegalArgumentException if {@link #answers} is false for the failure
     */
    void write(Throwable failure, Predicate<String> shown, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        ProblemResponse problem = ProblemResponse.of(failure, shown);
        if (problem == null) {
            throw new IllegalArgumentException("not a refusal: " + failure, failure);
        }
        write(problem, request, response);
    }

    void write(ProblemResponse problem, HttpServletRequest request, HttpServletResponse response) throws IOException {
        LocaleResolver locales = context.getBeanProvider(LocaleResolver.class).getIfAvailable();
        Locale locale = locales == null ? request.getLocale() : locales.resolveLocale(request);
        String title = Objects.requireNonNullElse(message(problem, "title", locale), problem.title());
        String detail = message(problem, "detail", locale);
        RefusalResponse refusal = problem.response(title, detail);
        RefusalResponse shaped = shaped(refusal, new ServletRequestView(request, addresses));
        if (shaped != null) {
            write(shaped, request, response);
        } else if (RefusalPage.isAskedFor(request.getHeader("Accept"))) {
            writePage(
                    RefusalPage.of(refusal, title, detail), detail == null ? title : detail, locale, request, response);
        } else {
            write(refusal, request, response);
        }
    }

    private @Nullable String message(ProblemResponse problem, String part, Locale locale) {
        Object[] seconds = {problem.headers().getOrDefault("Retry-After", "")};
        return context.getMessage("rate-limiter." + problem.code() + "." + part, seconds, null, locale);
    }

    private @Nullable RefusalResponse shaped(RefusalResponse refusal, RequestView request) {
        return context.getBeanProvider(RefusalHandler.class)
                .orderedStream()
                .map(handler -> handler.handle(refusal, request))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private void writePage(
            RefusalResponse page,
            String message,
            Locale locale,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        begin(page, request, response);
        byte[] own = rendered(page.status(), message, locale, request, response);
        writeBody(own == null ? page.body().getBytes(StandardCharsets.UTF_8) : own, response);
    }

    private void write(RefusalResponse refusal, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        begin(refusal, request, response);
        writeBody(refusal.body().getBytes(StandardCharsets.UTF_8), response);
    }

    private void begin(RefusalResponse refusal, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setStatus(refusal.status());
        refusal.headers().forEach(response::setHeader);
        cors.apply(request, response);
    }

    private static void writeBody(byte[] body, HttpServletResponse response) throws IOException {
        if (!response.isCommitted()) { // by a CORS filter that refuses the origin
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
            response.flushBuffer();
        }
    }

    /** The application's own view; null if it has none, or one that fails. */
    @SuppressWarnings("JavaUtilDate") // what Spring Boot's error pages hold
    private byte @Nullable [] rendered(
            int status, String message, Locale locale, HttpServletRequest request, HttpServletResponse response) {
        HttpStatus known = HttpStatus.valueOf(status);
        Map<String, Object> model = new HashMap<>(Map.of(
                "timestamp",
                new Date(),
                "status",
                status,
                "error",
                known.getReasonPhrase(),
                "message",
                message,
                "path",
                request.getRequestURI()));
        try {
            View view = views.find(request, known, model, locale);
            if (view == null) {
                return null;
            }
            ContentCachingResponseWrapper page = new ContentCachingResponseWrapper(response);
            request.setAttribute(
                    DispatcherServlet.LOCALE_RESOLVER_ATTRIBUTE,
                    context.getBeanProvider(LocaleResolver.class).getIfAvailable());
            view.render(model, request, page);
            return page.getContentAsByteArray();
        } catch (Exception failed) {
            LOG.warn("The error view of the application failed for a refusal, a plain page takes its place", failed);
            return null;
        }
    }
}
