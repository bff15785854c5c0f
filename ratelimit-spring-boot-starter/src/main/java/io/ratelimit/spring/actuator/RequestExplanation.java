package io.ratelimit.spring.actuator;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What limits a request, and what they would answer it now. Immutable and thread-safe.
 *
 * @param allowed whether every limit that is known would admit it
 * @param retryAfter time until all of them would; null if none ever will
 * @param refusedBy names of limits that would refuse
 * @param routes the routes that match
 * @param methods the annotations on the method of a controller that the request is mapped to
 */
public record RequestExplanation(
        String method,
        String path,
        boolean allowed,
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
     * @param note why there is no subject or no state; null otherwise
     */
    public record RuleExplanation(
            String declaredBy,
            String key,
            @Nullable String subject,
            List<SubjectState> limits,
            @Nullable String note) {}
}
