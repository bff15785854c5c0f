package io.ratelimit.spring.internal.method;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.rule.LimitDefinition;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.PlaceholderResolutionException;
import org.springframework.util.StringValueResolver;

/** Reads attributes of one annotation: without placeholders and spaces around them, null where nothing is written. */
record AttributeTexts(StringValueResolver placeholders, String where) {

    /**
     * Returns the text of an attribute.
     *
     * @throws InvalidRateLimitException if there is no property for a placeholder
     */
    @Nullable
    String text(String attribute, String written) {
        String text = resolved(attribute, written);
        return text.isEmpty() ? null : text;
    }

    /** Returns the texts of an attribute that has several; those that are empty are left out. */
    List<String> texts(String attribute, String... written) {
        return Arrays.stream(written)
                .map(one -> resolved(attribute, one))
                .filter(text -> !text.isEmpty())
                .toList();
    }

    /**
     * Returns the whole number that an attribute says.
     *
     * @throws InvalidRateLimitException if it says anything else
     */
    @Nullable
    Long number(String attribute, String written) {
        String text = resolved(attribute, written);
        if (text.isEmpty()) {
            return null;
        }
        if (!LimitDefinition.isWholeNumber(text)) {
            throw new InvalidRateLimitException(
                    MessageCode.VALUE_UNREADABLE,
                    where,
                    "%s '%s' is not a whole number of at most 18 digits: write one".formatted(attribute, text));
        }
        return Long.valueOf(text);
    }

    /**
     * Returns the duration that an attribute says.
     *
     * @throws InvalidRateLimitException if it is not a valid duration
     */
    @Nullable
    Duration duration(String attribute, String written) {
        String text = resolved(attribute, written);
        if (text.isEmpty()) {
            return null;
        }
        try {
            return DurationStyle.detectAndParse(text, ChronoUnit.SECONDS);
        } catch (IllegalArgumentException unparsable) {
            throw new InvalidRateLimitException(
                    MessageCode.VALUE_UNREADABLE,
                    where,
                    "%s '%s' is not a valid duration: use 500ms, 60s, 24h or a number of seconds"
                            .formatted(attribute, text),
                    unparsable);
        }
    }

    String resolved(String attribute, String written) {
        try {
            return Objects.requireNonNullElse(placeholders.resolveStringValue(written), "")
                    .trim();
        } catch (PlaceholderResolutionException unresolved) {
            String placeholder = unresolved.getPlaceholder();
            throw new InvalidRateLimitException(
                    MessageCode.PLACEHOLDER_UNRESOLVED,
                    where,
                    ("%s '%s' names the placeholder '%s', for which there is no property: set %s, or write a default as in"
                                    + " ${%s:VALUE}")
                            .formatted(attribute, written, placeholder, placeholder, placeholder),
                    unresolved);
        }
    }
}
