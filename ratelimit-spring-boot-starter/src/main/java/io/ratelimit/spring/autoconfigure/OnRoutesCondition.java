package io.ratelimit.spring.autoconfigure;

import java.util.stream.StreamSupport;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Whether {@code rate-limiter.routes} names any: without one no filter is registered. Looks at names only, because binding
 * thousands of routes takes seconds, and a condition is evaluated more than once.
 */
final class OnRoutesCondition extends SpringBootCondition {

    private static final ConfigurationPropertyName ROUTES = ConfigurationPropertyName.of("rate-limiter.routes");

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean any = StreamSupport.stream(
                        ConfigurationPropertySources.get(context.getEnvironment())
                                .spliterator(),
                        false)
                .anyMatch(source -> source.containsDescendantOf(ROUTES) == ConfigurationPropertyState.PRESENT);
        return new ConditionOutcome(
                any, ConditionMessage.forCondition("rate-limiter.routes").because("any: " + any));
    }
}
