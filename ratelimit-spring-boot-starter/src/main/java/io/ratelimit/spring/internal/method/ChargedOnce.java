package io.ratelimit.spring.internal.method;

import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.rule.Rule;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Rejects annotations of one method that charge a limit twice for each call. */
final class ChargedOnce {

    private ChargedOnce() {}

    /** A limit that is named twice for one subject would admit half of its quota, or count two elements of one call. */
    static void check(List<Rule> rules, AnnotatedMethod site) {
        Set<String> charged = new HashSet<>();
        for (Rule rule : rules) {
            for (Limit limit : rule.limits()) {
                if (!charged.add(limit.name() + " by " + rule.key().text())) {
                    throw new InvalidRateLimitException(
                            MessageCode.ANNOTATIONS_CHARGE_TWICE,
                            site.where(),
                            "limit '%s' stands there twice with the key '%s', so that each call %s: name it once"
                                    .formatted(
                                            limit.name(),
                                            rule.key().text(),
                                            limit.algorithm().countsElements()
                                                    ? "has two elements of one subject"
                                                    : "is charged twice"));
                }
            }
        }
    }
}
