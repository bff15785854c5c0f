package io.ratelimit.spring.internal.operate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The routes and annotations that limit a request, and how their limits stand. Immutable and thread-safe.
 *
 * @param refusedBy names of limits that refuse it now, also if refusals are only reported
 * @param routes the routes that match
 * @param methods the annotations on the method of a controller that the request is mapped to
 */
record RequestExplanation(
        String method,
        String path,
        List<String> refusedBy,
        List<RuleExplanation> routes,
        List<RuleExplanation> methods) {

    /**
     * One route or annotation.
     *
     * @param declaredBy the property, or class and method
     * @param subject whom it counts; null if that is not known or the rule does not apply
     * @param limits the state of each limit for that subject
     * @param note why there is no subject or no state, and what the application would warn of; null otherwise
     */
    record RuleExplanation(
            String declaredBy,
            String key,
            @Nullable String subject,
            List<SubjectState> limits,
            @Nullable String note) {}
}
