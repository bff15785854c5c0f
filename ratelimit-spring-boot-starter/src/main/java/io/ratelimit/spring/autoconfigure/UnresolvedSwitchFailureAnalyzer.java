package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.PlaceholderResolutionException;

/**
 * Explains a placeholder without a property in the properties that conditions of auto-configurations read, which is before
 * {@link WrittenValues} sees them.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnresolvedSwitchFailureAnalyzer extends AbstractFailureAnalyzer<PlaceholderResolutionException> {

    private static final List<ConfigurationPropertyName> SWITCHES = List.of(
            ConfigurationPropertyName.of("rate-limiter.enabled"),
            ConfigurationPropertyName.of("rate-limiter.report-only"),
            ConfigurationPropertyName.of("rate-limiter.observations"));

    private final Environment environment;

    UnresolvedSwitchFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, PlaceholderResolutionException cause) {
        try {
            SWITCHES.forEach(this::check);
            return null;
        } catch (InvalidRateLimitException unresolved) {
            return new InvalidRateLimitFailureAnalyzer().analyze(rootFailure, unresolved);
        }
    }

    private void check(ConfigurationPropertyName name) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null) {
                String written = property.getValue().toString();
                WrittenValues.checkResolved(name, written, environment.resolvePlaceholders(written));
                return;
            }
        }
    }
}
