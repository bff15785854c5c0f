package io.ratelimit.spring.internal.method;

import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Spring's attributes of a request. A class of its own, because spring-web is optional. */
final class WebContext {

    private WebContext() {}

    /** Returns those that this thread holds. */
    static @Nullable RequestAttributes request() {
        return RequestContextHolder.getRequestAttributes();
    }

    static ContextPart<?> capture() {
        return ContextPart.capture(WebContext::request, WebContext::set, WebContext::restore);
    }

    private static void set(@Nullable RequestAttributes attributes) {
        if (attributes instanceof ServletRequestAttributes servlet) {
            CarriedAttributes.carry(servlet);
        } else {
            RequestContextHolder.setRequestAttributes(attributes);
        }
    }

    /** Completes what was carried here, so that its beans are destroyed and what it has of the session is set again. */
    private static void restore(@Nullable RequestAttributes before, @Nullable RequestAttributes then) {
        RequestContextHolder.setRequestAttributes(before);
        if (then != before && then instanceof CarriedAttributes carried) {
            carried.requestCompleted();
        }
    }
}
