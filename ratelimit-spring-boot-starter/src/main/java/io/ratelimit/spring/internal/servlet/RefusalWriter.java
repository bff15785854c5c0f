package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RefusalResponse;
import io.ratelimit.spring.internal.Warning;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.web.ProblemResponse;
import io.ratelimit.spring.internal.web.RateLimitHeaders;
import io.ratelimit.spring.internal.web.RefusalShape;
import io.ratelimit.spring.internal.web.RefusalShape.Shaped;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.LocaleResolver;
import org.springframework.web.servlet.View;
import org.springframework.web.util.ContentCachingResponseWrapper;

/**
 * Answers refused requests, for the filter and for annotated methods alike. The answer is written as it stands. An error
 * dispatch would lose the headers, and with Spring Security the status too. Thread-safe.
 */
public final class RefusalWriter {

    private static final String WRITING = RefusalWriter.class.getName() + ".writing";
    private static final Warning WARNING = new Warning(MessageCode.ERROR_VIEW_FAILED);

    private final ApplicationContext context;
    private final ClientAddresses addresses;
    private final RateLimitHeaders headers;
    private final RefusalCors cors;
    private final @Nullable SecurityHeaders security;
    private final ErrorViews views;
    private final RefusalShape shape;

    public RefusalWriter(ApplicationContext context, ClientAddresses addresses, RateLimitHeaders headers) {
        this.context = context;
        this.addresses = addresses;
        this.headers = headers;
        this.cors = new RefusalCors(context);
        this.security =
                ClassUtils.isPresent("org.springframework.security.web.SecurityFilterChain", context.getClassLoader())
                        ? new SecurityHeaders(context)
                        : null;
        this.views = new ErrorViews(context);
        this.shape = new RefusalShape(context);
    }

    /**
     * Answers instead of whatever the response holds so far.
     *
     * @throws IllegalArgumentException if the failure is not of a limit
     */
    void write(Throwable failure, HttpServletRequest request, HttpServletResponse response) throws IOException {
        ProblemResponse problem = ProblemResponse.of(failure);
        ServletCurrentRequest.limits(request).showRefusing(failure, headers, ExposedHeaders.setter(request, response));
        write(problem, request, response);
    }

    void write(ProblemResponse problem, HttpServletRequest request, HttpServletResponse response) throws IOException {
        request.setAttribute(WRITING, true);
        try {
            writeNow(problem, request, response);
        } finally {
            request.removeAttribute(WRITING);
        }
    }

    /** True while a refusal of the request is written: a page that is forwarded to for it is no other request. */
    static boolean isWriting(HttpServletRequest request) {
        return request.getAttribute(WRITING) != null;
    }

    private void writeNow(ProblemResponse problem, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        LocaleResolver locales = locales();
        Locale locale = locales == null ? request.getLocale() : locales.resolveLocale(request);
        ProblemResponse told = problem.retriedAfter(
                seconds -> ServletCurrentRequest.limits(request).told(seconds, headers));
        Shaped shaped = shape.shape(told, new ServletRequestView(request, addresses), locale);
        begin(shaped.response(), request, response);
        byte[] own = shaped.isPage() ? rendered(shaped, locale, request, response) : null;
        writeBody(own == null ? shaped.response().body().getBytes(StandardCharsets.UTF_8) : own, response);
    }

    /** Returns the one that Spring MVC uses, of all that there are; null if it uses its own. */
    private @Nullable LocaleResolver locales() {
        return context.containsBean(DispatcherServlet.LOCALE_RESOLVER_BEAN_NAME)
                ? context.getBean(DispatcherServlet.LOCALE_RESOLVER_BEAN_NAME, LocaleResolver.class)
                : null;
    }

    private void begin(RefusalResponse refusal, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.setStatus(refusal.status());
        refusal.headers().forEach(response::setHeader);
        cors.apply(request, response);
        if (security != null) {
            security.apply(request, response);
        }
    }

    private static void writeBody(byte[] body, HttpServletResponse response) throws IOException {
        if (!response.isCommitted()) { // by a CORS filter that refuses the origin
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
            response.flushBuffer();
        }
    }

    /** The application's own view; null if it has none, or one that fails. */
    private byte @Nullable [] rendered(
            Shaped shaped, Locale locale, HttpServletRequest request, HttpServletResponse response) {
        Map<String, Object> model = shaped.model(request.getRequestURI());
        try {
            View view = views.find(request, HttpStatus.valueOf(shaped.response().status()), model, locale);
            if (view == null) {
                return null;
            }
            ContentCachingResponseWrapper page = new ContentCachingResponseWrapper(response);
            request.setAttribute(DispatcherServlet.LOCALE_RESOLVER_ATTRIBUTE, locales());
            view.render(model, request, page);
            return page.getContentAsByteArray();
        } catch (Exception failed) {
            WARNING.log("The error view of the application failed for a refusal, a plain page takes its place", failed);
            return null;
        }
    }
}
