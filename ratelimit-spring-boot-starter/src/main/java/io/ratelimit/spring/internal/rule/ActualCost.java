package io.ratelimit.spring.internal.rule;

import io.ratelimit.Quota;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * The actual cost of a call, known when it has ended: from a header of the response, or by an expression. Thread-safe.
 */
public final class ActualCost {

    private final String text;
    private final BiFunction<Call, Ending, @Nullable Object> value;
    private final boolean late;
    private final String where;
    private final Warning unknown = new Warning(MessageCode.ACTUAL_COST_UNKNOWN);
    private final Warning zero = new Warning(MessageCode.STREAM_WITHOUT_COST);

    private ActualCost(String text, BiFunction<Call, Ending, @Nullable Object> value, boolean late, String where) {
        this.text = text;
        this.value = value;
        this.late = late;
        this.where = where;
    }

    /**
     * Parses the actual cost of a route or annotated method. A method has no header: its actual cost is an expression.
     *
     * @throws InvalidRateLimitException if it cannot work
     */
    static ActualCost parse(String actualCost, RuleText text, Expressions expressions) {
        String where = text.at("actual-cost");
        if (text.method() == null) {
            String header = actualCost.startsWith("header:") ? actualCost.substring("header:".length()) : "";
            if (SubjectKeyParser.isToken(header)) {
                return ofHeader(header, where);
            }
            if (!SubjectKeyParser.isExpression(actualCost)) {
                throw new InvalidRateLimitException(
                        MessageCode.COST_INVALID,
                        where,
                        "'%s' is unknown: use header:NAME for a header of the response, or an expression such as #request.attribute('NAME')"
                                .formatted(actualCost));
            }
        }
        SpelExpression expression = expressions.parseAtEnd(actualCost, where, text.method());
        ExpressionCheck.checkBareWord(expression.getAST(), text.root(), actualCost, where);
        return of(expression, where);
    }

    /** Returns a cost that is the first value of that header of the response. */
    private static ActualCost ofHeader(String name, String where) {
        return new ActualCost(
                "header:" + name, (call, ending) -> ending.header().apply(name), false, where);
    }

    /**
     * Returns a cost that the expression computes from the call and its {@code #result}.
     *
     * @throws InvalidRateLimitException if it is the same for every call
     */
    public static ActualCost of(SpelExpression expression, String where) {
        if (ExpressionCheck.isConstant(expression.getAST())) {
            throw new InvalidRateLimitException(
                    MessageCode.COST_INVALID,
                    where,
                    ("actual cost '%s' is the same for every call: write what a call used, such as #result.size() of a method or"
                                    + " #request.attribute('tokens') of a request")
                            .formatted(expression.getExpressionString()));
        }
        return new ActualCost(
                expression.getExpressionString(),
                (call, ending) -> expression.getValue(call.variablesAtEnd(ending.result())),
                true,
                where);
    }

    /** Returns whether the application may say it after the last byte of a response. */
    boolean isLate() {
        return late;
    }

    /**
     * Rounds up, because a cost below 1 would otherwise never count. Empty if there is no valid cost; unless the call
     * has failed or was cut off, that logs a warning.
     *
     * @param charged the estimate
     */
    public OptionalLong of(Call call, long charged, Ending ending) {
        String reason;
        try {
            Object found = value.apply(call, ending);
            double cost = found == null ? Double.NaN : number(found);
            if (cost == 0 && ending.isPart()) {
                return OptionalLong.empty();
            }
            if (cost >= 0 && Double.isFinite(cost)) {
                if (cost == 0 && charged > 0 && ending.isStream()) {
                    zero.logOnce(
                            "{}: actual cost '{}' of a whole stream is 0, and its estimate was {}: does its last element say what was used?",
                            where,
                            text,
                            charged);
                }
                return OptionalLong.of((long) Math.min(Math.ceil(cost), Quota.MOST_REQUESTS));
            }
            reason = found == null ? "is absent" : cost < 0 ? "is negative" : "is not a number";
        } catch (NumberFormatException noNumber) {
            reason = "is not a number";
        } catch (Exception failed) { // also what a called method throws, in Kotlin checked ones, too
            reason = "failed: " + FailureReason.of(failed);
        }
        if (!ending.failed() && !ending.cutOff()) {
            unknown.logOnce("{}: the estimate stays charged, because actual cost '{}' {}", where, text, reason);
        }
        return OptionalLong.empty();
    }

    private static double number(Object found) {
        return found instanceof Number number ? number.doubleValue() : Double.parseDouble(found.toString());
    }
}
