package io.ratelimit.spring.internal.rule;

import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import java.math.BigDecimal;
import java.util.List;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * The cost of a call: a number, a header of the request, or an expression that counts as 1 where it fails or gives no
 * number. Thread-safe.
 */
public final class Cost {

    private static final int LONGEST_TEXT = 100;

    private final ToLongFunction<Call> cost;

    private Cost(ToLongFunction<Call> cost) {
        this.cost = cost;
    }

    /**
     * Returns the cost that is written; 1 if none is.
     *
     * @param largest the limits with the largest numbers that they have for any call
     * @throws InvalidRateLimitException if it cannot work
     */
    static Cost parse(RuleText text, List<Limit> largest, Expressions expressions) {
        String cost = text.cost();
        String where = text.at("cost");
        if (cost == null) {
            return fixed(1, List.of(), where);
        }
        checkCounted(cost, text.together(), where);
        if (LimitDefinition.isWholeNumber(cost)) {
            return fixed(Long.parseLong(cost), largest, where);
        }
        if (text.method() == null && cost.startsWith("header:")) {
            return ofHeader(cost.substring("header:".length()), where);
        }
        SpelExpression expression = expressions.parse(cost, where, text.method());
        if (!ExpressionCheck.isConstant(expression.getAST())) {
            ExpressionCheck.checkBareWord(expression.getAST(), text.root(), cost, where);
            return of(expression, where);
        }
        Object value = expression.getValue(); // a number that placeholders and operators make up
        if (value instanceof Integer || value instanceof Long) {
            return fixed(((Number) value).longValue(), largest, where);
        }
        throw new InvalidRateLimitException(
                MessageCode.COST_INVALID,
                where,
                "cost '%s' is not a whole number: write one, or an expression such as %s"
                        .formatted(cost, text.method() == null ? "#request.path().length()" : "#items.size()"));
    }

    /**
     * Returns a cost that is the same for every call.
     *
     * @throws InvalidRateLimitException if it is below 1, or one of the limits could never admit it
     */
    public static Cost fixed(long cost, List<Limit> limits, String where) {
        checkFits(cost, limits, where);
        if (cost < 1) {
            throw new InvalidRateLimitException(
                    MessageCode.COST_INVALID, where, "cost '%d' must be at least 1".formatted(cost));
        }
        return new Cost(call -> cost);
    }

    private static void checkFits(long cost, List<Limit> limits, String where) {
        for (Limit limit : limits) {
            if (!limit.algorithm().countsElements() && cost > limit.largestCost()) {
                throw new InvalidRateLimitException(
                        MessageCode.COST_TOO_LARGE,
                        where,
                        "cost '%d' can never fit limit '%s', %s: lower the cost or raise the limit"
                                .formatted(cost, limit.name(), capacity(limit)));
            }
        }
    }

    /**
     * Checks that one of the limits counts a cost that is written.
     *
     * @throws InvalidRateLimitException if all of them count elements
     */
    private static void checkCounted(String cost, List<Limit> limits, String where) {
        if (limits.stream().allMatch(limit -> limit.algorithm().countsElements())) {
            throw new InvalidRateLimitException(
                    MessageCode.COST_INVALID,
                    where,
                    "cost '%s' has no effect, because the limits %s count distinct elements: leave it out, or add a limit of another algorithm"
                            .formatted(cost, limits.stream().map(Limit::name).toList()));
        }
    }

    private static String capacity(Limit limit) {
        return limit.shards() == 1
                ? "whose capacity is " + limit.capacity()
                : "whose %d shards hold %d each".formatted(limit.shards(), limit.largestCost());
    }

    /**
     * Returns a cost that is evaluated for each call.
     *
     * @param where the route or annotated method, for warnings
     */
    public static Cost of(SpelExpression expression, String where) {
        Warning failure = new Warning(MessageCode.COST_FAILED);
        return new Cost(call -> {
            try {
                Object value = expression.getValue(call.variables());
                Number number = number(value);
                if (number != null) {
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
            } catch (Exception failed) { // also what a called method throws, in Kotlin checked ones, too
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

    /**
     * Returns a cost that is the first value of that header of a request; 1 without one.
     *
     * @throws InvalidRateLimitException if no request can have that header
     */
    private static Cost ofHeader(String name, String where) {
        if (!SubjectKeyParser.isToken(name)) {
            throw new InvalidRateLimitException(
                    MessageCode.COST_INVALID,
                    where,
                    "cost 'header:%s' names a header that no request can have: write one such as header:X-Cost"
                            .formatted(name));
        }
        return new Cost(call -> {
            String value = call.request() == null ? null : call.request().header(name);
            return value == null ? 1 : whole(value, name);
        });
    }

    /** Never lets a value go by as 1, because a client would then pay least for a bad one. */
    private static long whole(String value, String header) {
        String number = value.strip();
        if (!LimitDefinition.isWholeNumber(number) || Long.parseLong(number) < 1) {
            throw new InvalidCostException(
                    "the header %s names no cost: a whole number of at least 1".formatted(header));
        }
        return Long.parseLong(number);
    }

    /** Reads a text, too, such as that of a parameter: null if it is no number, or so long that to read it takes a while. */
    private static @Nullable Number number(@Nullable Object value) {
        if (value instanceof CharSequence text && text.length() <= LONGEST_TEXT) {
            try {
                return new BigDecimal(text.toString().strip());
            } catch (NumberFormatException none) {
                return null;
            }
        }
        return value instanceof Number number ? number : null;
    }

    /** Rounds down, to at least 1; numbers above the range of a long become its maximum, which no limit admits. */
    private static long whole(Number number) {
        double about = number.doubleValue();
        return about >= Long.MAX_VALUE ? Long.MAX_VALUE : about >= 1 ? Math.max(1, number.longValue()) : 1;
    }

    /**
     * Returns the same cost for a request that is answered in any case, so that no cost lets it go by uncounted: 1 where it
     * cannot be counted, and no more than all of the limits admit.
     */
    Cost within(List<Limit> limits) {
        long largest = limits.stream()
                .filter(limit -> !limit.algorithm().countsElements())
                .mapToLong(limit -> limit.reportOnly() ? Long.MAX_VALUE : limit.largestCost())
                .min()
                .orElse(1);
        return new Cost(call -> {
            try {
                return Math.min(of(call), largest);
            } catch (InvalidCostException bad) {
                return 1;
            }
        });
    }

    long of(Call call) {
        return cost.applyAsLong(call);
    }
}
