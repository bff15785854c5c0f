package io.ratelimit.test;

import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.spring.internal.rule.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Assertions about the rules that apply to a request or method. Each looks at those rules that passed the assertions
 * before it, and fails if none of them passes. Immutable.
 */
public final class RateLimitRulesAssert {

    private final String what;
    private final List<Rule> rules;

    RateLimitRulesAssert(String what, List<Rule> rules) {
        this.what = what;
        this.rules = rules;
    }

    /** Fails if a rule applies, unless its limits only report. */
    public void isNotLimited() {
        if (rules.stream().flatMap(rule -> rule.limits().stream()).anyMatch(limit -> !limit.reportOnly())) {
            throw new AssertionError("Expected %s not to be limited, but it is:%s".formatted(what, described()));
        }
    }

    /** Asserts that the limit of this name applies, and refuses what exceeds it. */
    public RateLimitRulesAssert isLimitedBy(String limit) {
        return matching("by the limit '" + limit + "'", rule -> has(rule, limit, false));
    }

    /** Asserts that the limit of this name applies, and only reports what exceeds it. */
    public RateLimitRulesAssert isReportedBy(String limit) {
        return matching("by the limit '" + limit + "', which only reports", rule -> has(rule, limit, true));
    }

    private static boolean has(Rule rule, String limit, boolean reportOnly) {
        return rule.limits().stream().anyMatch(of -> of.name().equals(limit) && of.reportOnly() == reportOnly);
    }

    /** Asserts that a limit of exactly these numbers applies, and refuses what exceeds it. */
    public RateLimitRulesAssert isLimitedTo(long maxRequests, Duration windowSize) {
        return matching(
                "to %d per %s".formatted(maxRequests, windowSize),
                rule -> rule.limits().stream()
                        .anyMatch(limit -> !limit.reportOnly()
                                && limit.maxRequests() == maxRequests
                                && limit.windowSize().equals(windowSize)));
    }

    /** Asserts that subjects are distinguished by this key, as it is written in the configuration or annotation. */
    public RateLimitRulesAssert by(String key) {
        return matching("by the key '" + key + "'", rule -> rule.key().text().equals(key));
    }

    /** Asserts that requests are refused while the store fails. */
    public RateLimitRulesAssert failsClosed() {
        return onStoreFailure(FailurePolicy.CLOSED);
    }

    /** Asserts that requests are admitted while the store fails. */
    public RateLimitRulesAssert failsOpen() {
        return onStoreFailure(FailurePolicy.OPEN);
    }

    /** Asserts that each instance counts for itself while the store fails. */
    public RateLimitRulesAssert failsLocal() {
        return onStoreFailure(FailurePolicy.LOCAL);
    }

    private RateLimitRulesAssert onStoreFailure(FailurePolicy policy) {
        return matching("with the failure policy '" + label(policy) + "'", rule -> rule.onStoreFailure() == policy);
    }

    private RateLimitRulesAssert matching(String expectation, Predicate<Rule> matches) {
        List<Rule> matching = rules.stream().filter(matches).toList();
        if (matching.isEmpty()) {
            throw new AssertionError("Expected %s to be limited %s, but it is %s"
                    .formatted(what, expectation, rules.isEmpty() ? "not limited" : "limited:" + described()));
        }
        return new RateLimitRulesAssert(what, matching);
    }

    private String described() {
        return rules.stream()
                .flatMap(rule -> rule.limits().stream().map(limit -> described(limit, rule)))
                .collect(Collectors.joining());
    }

    private static String described(Limit limit, Rule rule) {
        return "%n  '%s': %d per %s (%s%s), key '%s', on store failure '%s'"
                .formatted(
                        limit.name(),
                        limit.maxRequests(),
                        limit.windowSize(),
                        limit.algorithm().label(),
                        limit.reportOnly() ? ", report-only" : "",
                        rule.key().text(),
                        label(rule.onStoreFailure()));
    }

    private static String label(FailurePolicy policy) {
        return policy.name().toLowerCase(Locale.ROOT);
    }
}
