package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.internal.web.OwnHandlers;
import io.ratelimit.spring.internal.web.ProblemResponse;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.util.DisconnectedClientHelper;

/**
 * Answers the exceptions that {@code @RateLimited} throws out of a controller, as the filter for routes does. Comes
 * before the application's own exception handlers, because a catch-all among them would turn a refusal into a 500. A
 * handler that names the exception, or one that wraps it, still takes precedence; what Spring MVC does not ask that handler for is
 * answered last of all. Thread-safe.
 */
public final class RateLimitExceptionResolver implements HandlerExceptionResolver, Ordered {

    private static final Logger LOG = LoggerFactory.getLogger(RateLimitExceptionResolver.class);

    private final int order;
    private final BiPredicate<Throwable, @Nullable Object> others;
    private final RefusalWriter refusals;

    private RateLimitExceptionResolver(
            int order, BiPredicate<Throwable, @Nullable Object> others, RefusalWriter refusals) {
        this.order = order;
        this.others = others;
        this.refusals = refusals;
    }

    /** Creates one that answers before all others what is not for them. */
    public static RateLimitExceptionResolver first(ApplicationContext context, RefusalWriter refusals) {
        return new RateLimitExceptionResolver(Ordered.HIGHEST_PRECEDENCE, new OwnHandlers(context)::handle, refusals);
    }

    /**
     * Creates one that answers what no other has: Spring MVC asks an advice neither for an {@code HttpRequestHandler}, nor
     * where it produces what the client does not accept.
     */
    public static RateLimitExceptionResolver last(RefusalWriter refusals) {
        return new RateLimitExceptionResolver(Ordered.LOWEST_PRECEDENCE, (failure, handler) -> false, refusals);
    }

    @Override
    public int getOrder() {
        return order;
    }

    /** Leaves a refusal in a part of a page to that page, because an include has no status. */
    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception failure) {
        RequestFailures.answering(request, response, failure);
        Throwable refusal = ProblemResponse.refusalIn(failure);
        if (refusal == null || response.isCommitted() || others.test(failure, handler)) {
            return null;
        }
        if (request.getDispatcherType() == DispatcherType.INCLUDE) {
            throw failure instanceof RuntimeException unchecked // past a handler that catches everything
                    ? unchecked
                    : new UndeclaredThrowableException(failure);
        }
        return written(refusal, request, response);
    }

    /** Also if the client has gone, of which Spring's own handlers make no failure either. */
    private ModelAndView written(Throwable refusal, HttpServletRequest request, HttpServletResponse response) {
        try {
            AbandonedAnswer.reset(response);
            refusals.write(refusal, request, response);
        } catch (IOException failed) {
            if (!DisconnectedClientHelper.isClientDisconnectedException(failed)) {
                throw new UncheckedIOException("the refusal could not be written", failed);
            }
            LOG.debug("A client has gone before its refusal was written: {}", failed.toString());
        }
        return new ModelAndView();
    }
}
