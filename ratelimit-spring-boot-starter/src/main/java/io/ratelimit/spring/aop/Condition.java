package io.ratelimit.spring.aop;

import io.ratelimit.spring.key.Call;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.expression.spel.standard.SpelExpression;

/** Whether a call is limited at all. One that cannot be told is: bad input does not get past a limit. Thread-safe. */
final class Condition implements Predicate<Call> {

    private static final Logger LOG = LoggerFactory.getLogger(Condition.class);

    private final SpelExpression expression;
    private final AtomicBoolean warned = new AtomicBoolean();

    Condition(SpelExpression expression) {
        this.expression = expression;
    }

    @Override
    public boolean test(Call call) {
        try {
            return !Boolean.FALSE.equals(expression.getValue(call.variables(), Boolean.class));
        } catch (RuntimeException failed) { // also what a called method throws: SpEL passes that on as it is
            LOG.atLevel(warned.getAndSet(true) ? Level.DEBUG : Level.WARN)
                    .log("condition '{}' failed, the call is limited", expression.getExpressionString());
            return true;
        }
    }
}
