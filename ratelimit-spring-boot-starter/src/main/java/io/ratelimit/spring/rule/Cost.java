package io.ratelimit.spring.rule;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.key.Call;
import io.ratelimit.spring.key.WarnOnce;
import java.util.function.ToLongFunction;
import org.slf4j.LoggerFactory;
import org.springframework.expression.spel.standard.SpelExpression;

/** How many requests a call counts as: a number, or an expression whose failures count as 1. Thread-safe. */
public final class Cost {

    private final ToLongFunction<Call> cost;

    private Cost(ToLongFunction<Call> cost) {
        this.cost = cost;
    }

    /**
     * The same for every call.
     *
     * @throws InvalidRateLimitException if it is below 1
     */
    public static Cost fixed(long cost, String where) {
        if (cost < 1) {
            throw new InvalidRateLimitException(where, "cost '%d' must be at least 1".formatted(cost));
        }
        return new Cost(call -> cost);
    }

    public static Cost of(SpelExpression expression) {
        WarnOnce failure = new WarnOnce(LoggerFactory.getLogger(Cost.class));
        return new Cost(call -> {
            try {
                Object value = expression.getValue(call.variables());
                return value instanceof Number number ? Math.max(1, number.longValue()) : 1;
            } catch (RuntimeException failed) { // also what a called method throws: SpEL passes that on as it is
                failure.log("cost '{}' failed, 1 is counted", expression.getExpressionString());
                return 1;
            }
        });
    }

    long of(Call call) {
        return cost.applyAsLong(call);
    }
}
