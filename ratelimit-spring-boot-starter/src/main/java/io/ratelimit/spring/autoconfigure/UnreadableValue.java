package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.origin.Origin;
import org.springframework.core.convert.ConversionException;
import org.springframework.core.convert.ConversionFailedException;
import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.env.Environment;

/** Says of a value that Spring Boot could not convert what belongs in its place. */
final class UnreadableValue {

    private UnreadableValue() {}

    /** Returns what is thrown for that failure; the failure itself if it is of another kind. */
    static RuntimeException of(BindException failed, Environment environment) {
        if (failed.getCause() instanceof InvalidRateLimitException invalid) {
            return invalid;
        }
        if (!(failed.getCause() instanceof ConversionException conversion)) {
            return failed;
        }
        Class<?> type = type(conversion);
        String name = failed.getName().toString();
        if (type.isRecord() || type == Map.class) {
            return misplaced(name, environment.getProperty(name), type);
        }
        ConfigurationProperty property = failed.getProperty();
        if (property == null) {
            return failed;
        }
        if (conversion instanceof ConversionFailedException from) {
            WrittenValues.checkResolved(failed.getName(), property.getValue(), from.getValue());
            if (from.getValue() == null) { // converted from nothing
                return WrittenValues.empty(name);
            }
        }
        Origin origin = property.getOrigin();
        return new InvalidRateLimitException(
                MessageCode.VALUE_UNREADABLE,
                property.getName().toString(),
                "'%s' is not valid: %s%s"
                        .formatted(
                                property.getValue(),
                                advice(type, name),
                                origin == null ? "" : ". It stands in " + origin),
                conversion);
    }

    /** Returns what the value was to become. Those of a list are converted one by one. */
    private static Class<?> type(ConversionException failed) {
        if (failed.getCause() instanceof ConversionException inner) {
            return type(inner);
        }
        TypeDescriptor type = failed instanceof ConversionFailedException from
                ? from.getTargetType()
                : ((ConverterNotFoundException) failed).getTargetType();
        TypeDescriptor element = type.getElementTypeDescriptor();
        return (element == null ? type : element).getObjectType();
    }

    private static InvalidRateLimitException misplaced(String name, @Nullable String value, Class<?> type) {
        String belong = type.isRecord()
                ? "properties belong: write them below it, such as "
                        + DataObjectPropertyName.toDashedForm(type.getRecordComponents()[0].getName())
                : "names belong: write them below it";
        return new InvalidRateLimitException(
                MessageCode.VALUE_MISPLACED, name, "'%s' stands where %s".formatted(value, belong));
    }

    private static String advice(Class<?> type, String name) {
        if (type.isEnum()) {
            return "use one of "
                    + Arrays.stream(type.getEnumConstants())
                            .map(known ->
                                    known.toString().toLowerCase(Locale.ROOT).replace('_', '-'))
                            .toList();
        }
        if (type == Duration.class) {
            return "write a duration such as 500ms, 60s, 24h, or a number of "
                    + (name.equals("rate-limiter.timeout") ? "milliseconds" : "seconds");
        }
        return type == Boolean.class ? "write true or false" : "write a whole number";
    }
}
