package io.ratelimit.spring.internal.method;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import org.springframework.util.PlaceholderResolutionException;
import org.springframework.util.StringValueResolver;

/** Resolves {@code ${...}} in the attributes of annotations. Thread-safe. */
record AttributeTexts(StringValueResolver placeholders) {

    /**
     * The text of an attribute, without placeholders and spaces around it.
     *
     * @throws InvalidRateLimitException if there is no property for a placeholder
     */
    String resolve(String attribute, String text, AnnotatedMethod site) {
        try {
            String resolved = placeholders.resolveStringValue(text);
            return resolved == null ? "" : resolved.trim();
        } catch (PlaceholderResolutionException unresolved) {
            String placeholder = unresolved.getPlaceholder();
            throw new InvalidRateLimitException(
                    MessageCode.PLACEHOLDER_UNRESOLVED,
                    site.where(),
                    ("%s '%s' names the placeholder '%s', for which there is no property: set %s, or write a default as in"
                                    + " ${%s:VALUE}")
                            .formatted(attribute, text, placeholder, placeholder, placeholder),
                    unresolved);
        }
    }
}
