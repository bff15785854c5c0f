package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.method.EndingView;
import io.ratelimit.spring.internal.rule.DelegatingRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The request that a thread works on. Servers use their objects for the next request, but Spring's are of one alone. */
final class RequestOfThread extends DelegatingRequest implements EndingView {

    private final ServletRequestAttributes attributes;

    RequestOfThread(RequestView request, ServletRequestAttributes attributes) {
        super(request);
        this.attributes = attributes;
    }

    @Override
    public boolean isOver() {
        return RequestLife.isOver(attributes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RequestOfThread that && attributes.equals(that.attributes);
    }

    @Override
    public int hashCode() {
        return attributes.hashCode();
    }
}
