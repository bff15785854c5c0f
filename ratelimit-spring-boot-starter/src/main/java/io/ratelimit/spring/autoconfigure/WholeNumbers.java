package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Rejects a fraction such as 2.9 for a whole number: YAML reads it as a double, which the binder would truncate. */
final class WholeNumbers implements ConfigurationPropertiesBindHandlerAdvisor {

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("rate-limiter");

    @Override
    public BindHandler apply(BindHandler handler) {
        return new AbstractBindHandler(handler) {
            @Override
            public @Nullable Object onSuccess(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
                ConfigurationProperty property = context.getConfigurationProperty();
                if (property != null
                        && PREFIX.isAncestorOf(name)
                        && property.getValue() instanceof Number written
                        && result instanceof Number read
                        && written.doubleValue() != read.doubleValue()) {
                    throw new InvalidRateLimitException(
                            name.toString(), "'%s' is not a whole number: write one".formatted(written));
                }
                return super.onSuccess(name, target, context, result);
            }
        };
    }
}
