package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.internal.Causes;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.util.PlaceholderResolutionException;

/**
 * Explains a limit that cannot work, without a stack trace. Comes before Spring Boot's analyzers, of which some explain
 * a cause of it, such as a path pattern, with advice that does not help here. A placeholder without a property in what
 * conditions of auto-configurations read is explained alike, because {@link WrittenValues} has not seen it by then.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class InvalidRateLimitFailureAnalyzer implements FailureAnalyzer {

    private static final List<ConfigurationPropertyName> SWITCHES = List.of(
            ConfigurationPropertyName.of("rate-limiter.enabled"),
            ConfigurationPropertyName.of("rate-limiter.report-only"),
            ConfigurationPropertyName.of("rate-limiter.observations"));

    private final Environment environment;

    InvalidRateLimitFailureAnalyzer(Environment environment) {
        this.environment = environment;
    }

    @Override
    public @Nullable FailureAnalysis analyze(Throwable failure) {
        for (Throwable cause : Causes.of(failure)) {
            if (cause instanceof InvalidRateLimitException invalid) {
                return analysis(invalid);
            }
            if (cause instanceof PlaceholderResolutionException) {
                return ofSwitches();
            }
        }
        return null;
    }

    private static FailureAnalysis analysis(InvalidRateLimitException invalid) {
        return new FailureAnalysis(
                String.valueOf(invalid.getMessage()),
                "Correct %s.%s".formatted(invalid.where(), MessagePage.whyAndCure(invalid.code())),
                invalid);
    }

    private @Nullable FailureAnalysis ofSwitches() {
        try {
            SWITCHES.forEach(this::check);
            return null;
        } catch (InvalidRateLimitException unresolved) {
            return analysis(unresolved);
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
