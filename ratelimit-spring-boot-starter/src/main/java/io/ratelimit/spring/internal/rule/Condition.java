package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import java.util.function.Predicate;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Tells if a call is limited at all. A condition that fails counts as true, so that bad input does not bypass a limit; one
 * that gives null counts as false, as elsewhere in Spring.
 * Thread-safe.
 */
public final class Condition implements Predicate<Call> {

    private final SpelExpression expression;
    private final String where;
    private final Warning failure = new Warning(MessageCode.CONDITION_FAILED);

    /** @param where the annotated method, for warnings */
    public Condition(SpelExpression expression, String where) {
        this.expression = expression;
        this.where = where;
    }

    /**
     * Returns the condition that is written; true for every call if none is.
     *
     * @throws InvalidRateLimitException if it cannot work
     */
    static Predicate<Call> parse(RuleText text, Expressions expressions) {
        String condition = text.condition();
        if (condition == null || condition.isBlank()) {
            return call -> true;
        }
        String where = text.at("condition");
        SpelExpression expression = expressions.parse(condition, where, text.method());
        ExpressionCheck.checkCondition(expression.getAST(), text.root(), condition, where);
        return new Condition(expression, where);
    }

    @Override
    public boolean test(Call call) {
        try {
            return Boolean.TRUE.equals(expression.getValue(call.variables(), Boolean.class));
        } catch (NotKnownException unknown) {
            throw unknown;
        } catch (Exception failed) { // also what a called method throws, in Kotlin checked ones, too
            call.warn(
                    failure,
                    "{}: condition '{}' failed, the call is limited: {}",
                    where,
                    expression.getExpressionString(),
                    FailureReason.of(failed));
            return true;
        }
    }
}
