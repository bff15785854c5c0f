package io.ratelimit.spring.internal.rule;

import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.rule.AccessList.Kind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes rules of what routes and annotations write, and rejects what cannot work. Thread-safe. */
public final class RuleFactory {

    private final Limits limits;
    private final SubjectKeyParser keys;
    private final Expressions expressions;
    private final RuleDefaults defaults;
    private final AccessList.Listener listed;
    private final AccessList allow;

    public RuleFactory(
            Limits limits,
            SubjectKeyParser keys,
            Expressions expressions,
            RuleDefaults defaults,
            AccessList.Listener listed) {
        this.limits = limits;
        this.keys = keys;
        this.expressions = expressions;
        this.defaults = defaults;
        this.listed = listed;
        this.allow = new AccessList(Kind.ALLOW, defaults.allow(), "rate-limiter.allow", listed);
    }

    /** True if a limit of that name is configured. */
    public boolean isConfigured(String limit) {
        return limits.names().contains(limit);
    }

    /**
     * Returns the configured limit of that name.
     *
     * @throws InvalidRateLimitException if there is none
     */
    public Limit limit(String name, String where) {
        try {
            return limits.get(name);
        } catch (IllegalArgumentException unknown) {
            throw new InvalidRateLimitException(MessageCode.LIMIT_UNKNOWN, where, unknown.getMessage(), unknown);
        }
    }

    /**
     * Returns the rule that is written.
     *
     * @throws InvalidRateLimitException if it cannot work
     */
    public Rule rule(RuleText text) {
        SubjectKey key = text.checked("key", key(text));
        Settling settling = settling(text);
        PlannedLimits charged = charged(text, settling);
        return new Rule(
                charged,
                key,
                element(text, key),
                Cost.parse(text, charged.largest(), expressions),
                policy(text),
                allow(text).exemptFrom(Condition.parse(text, expressions)),
                settling);
    }

    /**
     * Returns the requests that are denied.
     *
     * @throws InvalidRateLimitException if an entry cannot be read
     */
    public AccessList deny(List<String> entries, String where) {
        return new AccessList(Kind.DENY, entries, where, listed);
    }

    private AccessList allow(RuleText text) {
        return allow.and(new AccessList(Kind.ALLOW, text.allow(), text.at("allow"), listed));
    }

    /** A limit without plans needs no plan, so that a plan for all routes and annotations delays no decision for nothing. */
    private PlannedLimits charged(RuleText text, Settling settling) {
        List<Limit> charged = settling.withBans(text.limits());
        charged.forEach(limit -> checkProvided(limit, text.where()));
        Map<String, Plans> plans = new HashMap<>(defaults.plans());
        plans.putAll(text.plans());
        String plan = text.plan() == null ? defaults.plan() : text.plan();
        if (plan == null || charged.stream().noneMatch(limit -> plans.containsKey(limit.name()))) {
            if (text.plan() != null) {
                throw new InvalidRateLimitException(
                        MessageCode.PLAN_INVALID,
                        text.at("plan"),
                        "plan '%s' has no effect, because none of the limits %s has plans: write those at rate-limiter.limits.NAME.plans, or leave it out"
                                .formatted(
                                        plan, charged.stream().map(Limit::name).toList()));
            }
            return PlannedLimits.of(charged);
        }
        String where =
                text.plan() != null ? text.at("plan") : text.method() == null ? "rate-limiter.plan" : text.where();
        return PlannedLimits.of(charged, keys.parsePlan(plan, where, text.method()), plans);
    }

    private void checkProvided(Limit limit, String where) {
        if ((limit.lease() != 1 || limit.shards() != 1) && defaults.provided().test(limit)) {
            throw new InvalidRateLimitException(
                    MessageCode.PLAN_INVALID,
                    where,
                    "limit '%s' has a lease or shards, which numbers of a LimitProvider cannot have: leave them out, or return false from provides for this limit"
                            .formatted(limit.name()));
        }
    }

    /** The default key may name arguments that only some methods have, so each method parses it for itself. */
    private SubjectKey key(RuleText text) {
        if (text.key() != null) {
            return keys.parse(text.key(), text.at("key"), text.method());
        }
        return text.method() == null
                ? keys.parse(defaults.key(), "rate-limiter.key", null).usedBy(text.where())
                : keys.parse(defaults.key(), text.where(), text.method());
    }

    private @Nullable Element element(RuleText text, SubjectKey key) {
        String where = text.at("element");
        Element element = text.element() == null
                ? null
                : new Element(text.checked("element", keys.parseElement(text.element(), where, text.method())), where);
        Element.check(element, key, text.limits(), element == null ? text.where() : where);
        return element;
    }

    /** Limits that only report never refuse, also not those beside them in one decision. */
    private FailurePolicy policy(RuleText text) {
        String policy = text.onStoreFailure();
        FailurePolicy written = policy == null ? defaults.onStoreFailure() : policy(policy, text);
        return text.limits().stream().allMatch(Limit::reportOnly) ? FailurePolicy.OPEN : written;
    }

    private static FailurePolicy policy(String policy, RuleText text) {
        return Arrays.stream(FailurePolicy.values())
                .filter(known -> known.name().toLowerCase(Locale.ROOT).equals(policy.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new InvalidRateLimitException(
                        MessageCode.VALUE_UNREADABLE,
                        text.at("on-store-failure"),
                        "onStoreFailure '%s' is unknown: use local, open or closed".formatted(policy)));
    }

    private Settling settling(RuleText text) {
        Counted counted = text.count().isEmpty() ? null : Counted.parse(text.count(), text.at("count"));
        if (text.actualCost() != null || (counted != null && !counted.isAll())) {
            Settling.checkCorrectsOneOf(text.together(), text.at(text.actualCost() == null ? "count" : "actual-cost"));
        }
        return Settling.of(
                text.actualCost() == null ? null : ActualCost.parse(text.actualCost(), text, expressions),
                counted,
                defaults.counted(),
                text.limits());
    }
}
