package io.ratelimit.spring.internal.method;

import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.internal.rule.LimitDefinition;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;

/** Limits that annotations define themselves. Thread-safe. */
final class InlineLimits {

    private static final Pattern WHOLE_NUMBER = Pattern.compile("[+-]?\\d{1,18}");

    private final Limits configured;
    private final Map<String, Limit> named = new ConcurrentHashMap<>();

    InlineLimits(Limits configured) {
        this.configured = configured;
    }

    /**
     * The limit that an annotation defines, if it does.
     *
     * @param text resolves the text of the attribute of that name
     * @throws InvalidRateLimitException if it cannot work
     */
    Optional<Limit> find(RateLimited annotation, AnnotatedMethod site, BinaryOperator<String> text) {
        String name = text.apply("name", annotation.name());
        LimitDefinition definition = new LimitDefinition(
                site.where(),
                name.isEmpty() ? site.limitName() : name,
                orNull(text.apply("algorithm", annotation.algorithm())),
                number("maxRequests", text.apply("maxRequests", annotation.maxRequests()), site),
                duration("windowSize", text.apply("windowSize", annotation.windowSize()), site),
                number("burst", text.apply("burst", annotation.burst()), site),
                null,
                null);
        if (definition.isPresent()) {
            Limit limit = definition.limit();
            if (!name.isEmpty()) {
                checkName(limit, site);
            }
            return Optional.of(limit);
        }
        if (!name.isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.NAME_WITHOUT_LIMIT,
                    site.where(),
                    "name '%s' is for a limit of the annotation's own: set maxRequests, or leave out the name"
                            .formatted(name));
        }
        return Optional.empty();
    }

    static boolean isWholeNumber(String text) {
        return WHOLE_NUMBER.matcher(text).matches();
    }

    /** Limits of one name share their counts, so that their numbers must be the same. */
    private void checkName(Limit limit, AnnotatedMethod site) {
        if (configured.names().contains(limit.name())) {
            throw new InvalidRateLimitException(
                    MessageCode.LIMIT_NAME_TAKEN,
                    site.where(),
                    "name '%s' is that of a configured limit: choose another, or use that limit as value"
                            .formatted(limit.name()));
        }
        Limit other = named.putIfAbsent(limit.name(), limit);
        if (other != null && !other.equals(limit)) {
            throw new InvalidRateLimitException(
                    MessageCode.LIMIT_NAME_TAKEN,
                    site.where(),
                    "name '%s' is that of another annotation's limit with other numbers: choose another name"
                            .formatted(limit.name()));
        }
    }

    private static @Nullable Long number(String attribute, String text, AnnotatedMethod site) {
        if (text.isEmpty()) {
            return null;
        }
        if (!isWholeNumber(text)) {
            throw new InvalidRateLimitException(
                    MessageCode.VALUE_UNREADABLE,
                    site.where(),
                    "%s '%s' is not a whole number: write one".formatted(attribute, text));
        }
        return Long.valueOf(text);
    }

    /**
     * The duration that an attribute says; null if it is empty.
     *
     * @throws InvalidRateLimitException if it is not a valid duration
     */
    static @Nullable Duration duration(String attribute, String text, AnnotatedMethod site) {
        if (text.isEmpty()) {
            return null;
        }
        try {
            return DurationStyle.detectAndParse(text, ChronoUnit.SECONDS);
        } catch (IllegalArgumentException unparsable) {
            throw new InvalidRateLimitException(
                    MessageCode.VALUE_UNREADABLE,
                    site.where(),
                    "%s '%s' is not a valid duration: use 500ms, 60s, 24h or a number of seconds"
                            .formatted(attribute, text),
                    unparsable);
        }
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
