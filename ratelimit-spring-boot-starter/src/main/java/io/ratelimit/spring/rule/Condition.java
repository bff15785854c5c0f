package io.ratelimit.spring.rule;

import io.ratelimit.spring.key.Call;
import io.ratelimit.spring.key.WarnOnce;
import java.util.function.Predicate;
import org.slf4j.LoggerFactory;
import org.springframework.expression.spel.standard.SpelExpression;

/** Whether a call is limited at all. One that cannot be told is: bad input does not get past a limit. Thread-safe. */
public final class Condition implements Predicate<Call> {

    private final SpelExpression expression;
    private final WarnOnce failure = new WarnOnce(LoggerFactory.getLogger(Condition.class));

    public Condition(SpelExpression expression) {
        this.expression = expression;
    }

    @Override
    public boolean test(Call call) {
        try {
            return !Boolean.FALSE.equals(expression.getValue(call.variables(), Boolean.class));
        } catch (RuntimeException failed) { // also what a called method throws: SpEL passes that on as it is
            failure.log("condition '{}' failed, the call is limited", expression.getExpressionString());
            return true;
        }
    }
}
