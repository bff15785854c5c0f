package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.internal.web.OwnHandlers;
import io.ratelimit.spring.internal.web.ProblemResponse;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.UndeclaredThrowableException;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers the exceptions that {@code @RateLimited} throws out of a controller, as the filter for routes does. Comes
 * before the application's own exception handlers, because a catch-all among them would turn a refusal into a 500. A
 * handler that names the exception, or one that wraps it, still takes precedence. Thread-safe.
 */
public final class RateLimitExceptionResolver implements HandlerExceptionResolver, Ordered {

    private final OwnHandlers own;
    private final RefusalWriter refusals;

    public RateLimitExceptionResolver(ApplicationContext context, RefusalWriter refusals) {
        this.own = new OwnHandlers(context);
        this.refusals = refusals;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    /** Leaves a refusal in a part of a page to that page, because an include has no status. */
    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception failure) {
        RequestFailures.answering(request, response, failure);
        Throwable refusal = ProblemResponse.refusalIn(failure);
        if (refusal == null || response.isCommitted() || own.handle(failure, handler)) {
            return null;
        }
        if (request.getDispatcherType() == DispatcherType.INCLUDE) {
            throw failure instanceof RuntimeException unchecked // past a handler that catches everything
                    ? unchecked
                    : new UndeclaredThrowableException(failure);
        }
        return written(refusal, request, response);
    }

    private ModelAndView written(Throwable refusal, HttpServletRequest request, HttpServletResponse response) {
        try {
            AbandonedAnswer.reset(response);
            refusals.write(refusal, request, response);
            return new ModelAndView();
        } catch (IOException gone) {
            throw new UncheckedIOException("the client has gone before its refusal was written", gone);
        }
    }
}
