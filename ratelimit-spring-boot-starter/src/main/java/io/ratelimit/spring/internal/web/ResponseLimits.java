package io.ratelimit.spring.internal.web;

import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimitExceededException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.method.HandlerMethod;

/** The limits that one response shows: all that decide on the request add to the same headers. Thread-safe. */
public final class ResponseLimits {

    private static final Logger LOG = LoggerFactory.getLogger(ResponseLimits.class);

    private List<LimitStatus> shown = List.of();
    private @Nullable LongUnaryOperator spread;

    /**
     * Shows how the limits of a decision stand, beside those shown before.
     *
     * @param header sets a header of the response
     */
    public void show(Decision decision, RateLimitHeaders headers, BiConsumer<String, String> header) {
        show(decision.limits(), headers, header);
    }

    /**
     * Shows the limits that refuse, also those of a bean that the endpoint has called. Other failures have none. Those shown before are
     * shown again, because the response may have begun anew.
     */
    public void showRefusing(Throwable refusal, RateLimitHeaders headers, BiConsumer<String, String> header) {
        show(
                refusal instanceof RateLimitExceededException exceeded
                        ? exceeded.decision().refusing()
                        : List.of(),
                headers,
                header);
    }

    private synchronized void show(
            List<LimitStatus> more, RateLimitHeaders headers, BiConsumer<String, String> header) {
        shown = headers.write(shown.isEmpty() ? more : both(shown, more), spread(headers), header);
    }

    private static List<LimitStatus> both(List<LimitStatus> earlier, List<LimitStatus> more) {
        List<LimitStatus> all = new ArrayList<>(earlier);
        all.addAll(more);
        return all;
    }

    /** Returns the seconds that the response tells for a true wait: the same in all of its headers. */
    public synchronized long told(long seconds, RateLimitHeaders headers) {
        return spread(headers).applyAsLong(seconds);
    }

    private LongUnaryOperator spread(RateLimitHeaders headers) {
        if (spread == null) {
            spread = headers.drawSpread();
        }
        return spread;
    }

    /**
     * Does the same for a request that may be over by now: a call that was charged and admitted does not fail because
     * of its headers.
     */
    public void tryShow(Decision decision, RateLimitHeaders headers, BiConsumer<String, String> header) {
        try {
            show(decision, headers, header);
        } catch (RuntimeException over) {
            LOG.debug("The response is over, it does not say how the limits stand: {}", over.toString());
        }
    }

    /**
     * Returns the names of the limits that only report and that a request has exceeded.
     *
     * @param before those of earlier decisions, as this has returned them; null if there are none
     */
    public static Set<String> exceeded(@Nullable Object before, Decision decision) {
        Set<String> names = new LinkedHashSet<>();
        if (before instanceof Set<?> earlier) {
            earlier.forEach(name -> names.add(String.valueOf(name)));
        }
        decision.exceeded().forEach(status -> names.add(status.limit().name()));
        return names;
    }

    /**
     * True if a bean of that class may be the endpoint that answers a request, whose limits alone are shown. A handler that is not a method cannot be compared, because the
     * bean that it calls may be the endpoint.
     *
     * @param handler as Spring has found it for the request; null if it has not
     */
    public static boolean showThoseOf(Class<?> bean, @Nullable Object handler) {
        if (!(handler instanceof HandlerMethod method)) {
            return handler != null;
        }
        Class<?> endpoint = method.getBeanType();
        return Proxy.isProxyClass(endpoint)
                ? Arrays.stream(endpoint.getInterfaces()).anyMatch(face -> face.isAssignableFrom(bean))
                : endpoint.isAssignableFrom(bean);
    }
}
