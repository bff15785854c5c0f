package io.ratelimit.spring.autoconfigure;

import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether {@code rate-limiter.routes} names any: without one no filter is registered. */
final class OnRoutesCondition extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean any = Binder.get(context.getEnvironment())
                .bind("rate-limiter.routes", Bindable.mapOf(String.class, Object.class))
                .map(Map::isEmpty)
                .map(empty -> !empty)
                .orElse(false);
        return new ConditionOutcome(
                any, ConditionMessage.forCondition("rate-limiter.routes").because("any: " + any));
    }
}
