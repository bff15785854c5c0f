package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import java.util.function.ToLongFunction;
import org.springframework.expression.spel.standard.SpelExpression;

/** How many requests a call counts as: a number, or an expression that counts as 1 where it fails or gives no number. Thread-safe. */
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
            throw new InvalidRateLimitException(
                    MessageCode.COST_INVALID, where, "cost '%d' must be at least 1".formatted(cost));
        }
        return new Cost(call -> cost);
    }

    /**
     * What the expression makes of each call.
     *
     * @param where the annotated method, for warnings
     */
    public static Cost of(SpelExpression expression, String where) {
        Warning failure = new Warning(MessageCode.COST_FAILED);
        return new Cost(call -> {
            try {
                Object value = expression.getValue(call.variables());
                if (value instanceof Number number) {
                    return whole(number);
                }
                call.warn(
                        failure,
                        "{}: cost '{}' is not a number but {}, 1 is counted",
                        where,
                        expression.getExpressionString(),
                        value == null ? "null" : value.getClass().getName());
                return 1;
            } catch (NotKnownException unknown) {
                throw unknown;
            } catch (RuntimeException failed) { // also what a called method throws: SpEL passes that on as it is
                call.warn(
                        failure,
                        "{}: cost '{}' failed, 1 is counted: {}",
                        where,
                        expression.getExpressionString(),
                        FailureReason.of(failed));
                return 1;
            }
        });
    }

    /** Rounds down, to at least 1; numbers above the range of a long become its maximum, which no limit admits. */
    private static long whole(Number number) {
        double about = number.doubleValue();
        return about >= Long.MAX_VALUE ? Long.MAX_VALUE : about >= 1 ? number.longValue() : 1;
    }

    long of(Call call) {
        return cost.applyAsLong(call);
    }
}
