package io.ratelimit.spring.internal.operate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What limits a request, and what they would answer it now. Immutable and thread-safe.
 *
 * @param allowed whether the application would admit it, as far as limits are known
 * @param status the HTTP status of the refusal, such as 429; null if it is allowed, or a fallback method
 *     answers it
 * @param retryAfter time until it would be admitted; null if it never will be, or while no store answers
 * @param refusedBy names of limits that refuse it, also if it is admitted because refusals are only reported
 * @param routes the routes that match
 * @param methods the annotations on the method of a controller that the request is mapped to
 */
record RequestExplanation(
        String method,
        String path,
        boolean allowed,
        @Nullable Integer status,
        @Nullable String retryAfter,
        List<String> refusedBy,
        List<RuleExplanation> routes,
        List<RuleExplanation> methods) {

    /**
     * One route or annotation.
     *
     * @param declaredBy the property, or class and method
     * @param subject whom it counts; null if that is not known or the rule does not apply
     * @param limits the state of each limit for that subject
     * @param note why there is no subject or no state, what the application would warn of, and what becomes of a call that
     *     its annotation refuses; null otherwise
     */
    public record RuleExplanation(
            String declaredBy,
            String key,
            @Nullable String subject,
            List<SubjectState> limits,
            @Nullable String note) {}
}
