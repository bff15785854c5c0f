package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.rule.LimitDefinition;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.IgnoreTopLevelConverterNotFoundBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.core.env.Environment;

/**
 * Rejects values below {@code rate-limiter} that Spring Boot cannot read, or would change, ignore or pass on: a fraction
 * such as 2.9 for a whole number, which YAML reads as a double, a duration in a list without its unit, an empty value, and
 * a placeholder for which there is no property. Reads them once before Spring Boot does, because a handler of its own would see all properties of the
 * application.
 */
final class WrittenValues {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{([^${}:]+)[:}]");

    /** Spring Boot's conditions know true and false alone, and would take any other word for the opposite of what it says. */
    private static final List<String> SWITCHES =
            List.of("rate-limiter.enabled", "rate-limiter.report-only", "rate-limiter.observations");

    private static final AbstractBindHandler GUARD =
            new AbstractBindHandler(new IgnoreTopLevelConverterNotFoundBindHandler()) {
                @Override
                public Object onSuccess(
                        ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
                    ConfigurationProperty property = context.getConfigurationProperty();
                    if (property != null) {
                        checkWhole(name, property.getValue(), result);
                        checkUnit(name, property.getValue(), result);
                        checkResolved(name, property.getValue(), result);
                    }
                    return result;
                }

                @Override
                public void onFinish(
                        ConfigurationPropertyName name,
                        Bindable<?> target,
                        BindContext context,
                        @Nullable Object result) {
                    ConfigurationProperty property = context.getConfigurationProperty();
                    if (result == null && property != null && property.getName().equals(name)) {
                        throw empty(name.toString());
                    }
                }
            };

    /**
     * Checks all values.
     *
     * @throws InvalidRateLimitException if one cannot be read as it is written
     */
    WrittenValues(Environment environment) {
        if (areNone(environment, ConfigurationPropertyName.of("rate-limiter"))) {
            return; // to bind them costs a start 10 ms
        }
        read(environment, "rate-limiter", RateLimiterProperties.class);
        SWITCHES.forEach(name -> checkSwitch(environment, name));
    }

    private static void checkSwitch(Environment environment, String name) {
        String written = environment.getProperty(name, "true");
        if (!written.equalsIgnoreCase("true") && !written.equalsIgnoreCase("false")) {
            throw new InvalidRateLimitException(
                    MessageCode.VALUE_UNREADABLE, name, "'%s' is not valid: write true or false".formatted(written));
        }
    }

    /** True if no property is written at or below that name; false if a source does not tell its names. */
    private static boolean areNone(Environment environment, ConfigurationPropertyName name) {
        return sources(environment)
                .allMatch(source -> source.containsDescendantOf(name) == ConfigurationPropertyState.ABSENT
                        && source.getConfigurationProperty(name) == null);
    }

    /** True if a property is written at or below one of these names. */
    static boolean areAt(Environment environment, ConfigurationPropertyName... names) {
        return sources(environment)
                .anyMatch(source -> Stream.of(names)
                        .anyMatch(name -> source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT
                                || source.getConfigurationProperty(name) != null));
    }

    private static Stream<ConfigurationPropertySource> sources(Environment environment) {
        return StreamSupport.stream(
                ConfigurationPropertySources.get(environment).spliterator(), false);
    }

    /**
     * Returns what is written at that name.
     *
     * @throws InvalidRateLimitException if it cannot be read as it is written
     */
    static <T> BindResult<T> read(Environment environment, String name, Class<T> type) {
        try {
            return Binder.get(environment, GUARD).bind(name, type);
        } catch (BindException failed) {
            throw UnreadableValue.of(failed, environment);
        }
    }

    /** Returns what is thrown for a property whose value is empty. */
    static InvalidRateLimitException empty(String name) {
        return new InvalidRateLimitException(
                MessageCode.VALUE_UNREADABLE, name, "the value is empty: write one, or leave the property out");
    }

    private static void checkWhole(ConfigurationPropertyName name, Object value, Object result) {
        boolean isWhole = value instanceof Integer || value instanceof Long;
        if (value instanceof Number written
                && result instanceof Number read
                && (written.doubleValue() != read.doubleValue()
                        || (!isWhole && (read instanceof Integer || read instanceof Long)))) {
            throw new InvalidRateLimitException(
                    MessageCode.VALUE_UNREADABLE,
                    name.toString(),
                    "'%s' is not a whole number: write one".formatted(written));
        }
    }

    /** Spring Boot knows the unit of a list only if that is one text, and reads a number in a list of YAML as milliseconds. */
    private static void checkUnit(ConfigurationPropertyName name, Object value, Object result) {
        if (result instanceof Duration
                && name.isLastElementIndexed()
                && LimitDefinition.isWholeNumber(value.toString().strip())) {
            throw new InvalidRateLimitException(
                    MessageCode.VALUE_UNREADABLE,
                    name.toString(),
                    "'%s' has no unit, which a duration in a list needs: write %ss for seconds"
                            .formatted(value, value));
        }
    }

    /**
     * Checks that no placeholder is left.
     *
     * @param result what was read from the value
     * @throws InvalidRateLimitException if there is one
     */
    static void checkResolved(ConfigurationPropertyName name, Object value, @Nullable Object result) {
        if (result instanceof CharSequence || result instanceof Collection) {
            Matcher unresolved = PLACEHOLDER.matcher(result.toString());
            if (unresolved.find()) {
                String placeholder = unresolved.group(1);
                throw new InvalidRateLimitException(
                        MessageCode.PLACEHOLDER_UNRESOLVED,
                        name.toString(),
                        ("'%s' names the placeholder '%s', for which there is no property: set %s, or write a default as in"
                                        + " ${%s:VALUE}")
                                .formatted(value, placeholder, placeholder, placeholder));
            }
        }
    }
}
