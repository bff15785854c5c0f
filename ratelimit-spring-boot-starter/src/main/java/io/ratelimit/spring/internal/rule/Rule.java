package io.ratelimit.spring.internal.rule;

import io.ratelimit.Charge;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.internal.call.LimitId;
import io.ratelimit.spring.internal.rule.CallCharges.Share;
import io.ratelimit.spring.internal.rule.CallLimiter.Unresolved;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Limits that apply together to one subject: one route, or one annotation. Immutable and thread-safe.
 *
 * @param charged the limits, each with its numbers for a call
 * @param condition whether it applies to a call at all
 * @param element what limits of unique-count count; null if there are none
 * @param settling how the charges are corrected when a call has ended
 */
public record Rule(
        PlannedLimits charged,
        SubjectKey key,
        @Nullable Element element,
        Cost cost,
        FailurePolicy onStoreFailure,
        Predicate<Call> condition,
        Settling settling) {

    /** Limits nothing. */
    public static final Rule NONE = new Rule(
            List.of(),
            SubjectKey.everybody(""),
            null,
            Cost.fixed(1, List.of(), ""),
            FailurePolicy.OPEN,
            call -> false,
            Settling.NONE);

    /** Creates a rule of limits without plans. */
    public Rule(
            List<Limit> limits,
            SubjectKey key,
            @Nullable Element element,
            Cost cost,
            FailurePolicy onStoreFailure,
            Predicate<Call> condition,
            Settling settling) {
        this(PlannedLimits.of(settling.withBans(limits)), key, element, cost, onStoreFailure, condition, settling);
    }

    /** Returns the limits with their own numbers. */
    public List<Limit> limits() {
        return charged.limits();
    }

    /**
     * Returns the rules of a route for the client's address, whose plan is not known. Each limit counts it once: all levels of
     * a route apply, or none does.
     *
     * @param counted limits that count it by other routes
     */
    static List<Rule> byAddress(List<Rule> rules, List<Limit> counted) {
        Set<LimitId> others = counted.stream().map(LimitId::of).collect(Collectors.toSet());
        return rules.stream().map(rule -> rule.byAddress(others)).toList();
    }

    private Rule byAddress(Set<LimitId> others) {
        List<Limit> left =
                limits().stream().filter(limit -> others.add(LimitId.of(limit))).toList();
        return new Rule(
                PlannedLimits.of(left),
                key.byAddress(),
                element,
                cost.within(left),
                onStoreFailure,
                condition,
                settling);
    }

    /**
     * Returns the same rule, for one level of a route: a call without its subject is not charged.
     *
     * @param first the rule of the first level, whose condition is that of all of them and is tested once
     */
    public Rule asLevel(Rule first) {
        return new Rule(charged, key.ofLevel(), element, cost, onStoreFailure, first.condition, settling);
    }

    /** Returns true if none of the limits refuses. */
    private boolean reportsOnly() {
        return limits().stream().allMatch(Limit::reportOnly);
    }

    /** Returns true if it is known before any call that the rule needs the principal. */
    boolean needsPrincipal() {
        return key.needsPrincipal() || charged.needsPrincipal();
    }

    /** True if it counts a value of the request, or the client's address. */
    public boolean needsRequest() {
        return key.needsRequest() || (element != null && element.needsRequest());
    }

    /** True if something is settled when a call ends. */
    public boolean endsLater() {
        if (!settling.isNone()) {
            return true;
        }
        for (Limit limit : limits()) {
            if (limit.algorithm().isReleased()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns what the rules charge a call, as one decision; empty if none applies.
     *
     * @throws io.ratelimit.CostExceedsCapacityException if the call costs more than a limit can ever admit
     */
    public static Optional<CallCharges> charges(List<Rule> rules, Call call) {
        List<Charge> charges = new ArrayList<>();
        FailurePolicy policy = FailurePolicy.OPEN;
        List<Share> shares = new ArrayList<>(0);
        List<Unresolved.Part> unresolved = new ArrayList<>(0);
        Predicate<Call> tested = null;
        boolean applies = false;
        boolean counted = false;
        Rule skipped = null;
        for (Rule rule : rules) {
            if (rule.condition != tested) {
                tested = rule.condition;
                applies = tested.test(call);
            }
            if (applies) {
                String subject = rule.key.subject(call);
                if (subject == null) {
                    skipped = rule;
                } else {
                    counted = true;
                    int others = charges.size();
                    rule.addCharges(call, subject, charges, shares, unresolved);
                    policy = charges.size() > others ? policy.stricter(rule.onStoreFailure) : policy;
                }
            }
        }
        if (skipped != null && !counted && !call.isExplained()) { // which looks at each level by itself
            skipped.key.warnOfNoLevel(call);
        }
        return charges.isEmpty()
                ? Optional.empty()
                : Optional.of(CallCharges.of(charges, Optional.of(policy), shares, unresolved));
    }

    private void addCharges(
            Call call, String subject, List<Charge> charges, List<Share> shares, List<Unresolved.Part> unresolved) {
        List<Limit> limits = charged.of(call, (limit, reason) -> unresolved.add(new Unresolved.Part(limit, reason)));
        if (limits.isEmpty()) {
            return;
        }
        long amount;
        try {
            amount = cost.of(call);
        } catch (InvalidCostException bad) {
            if (!reportsOnly()) {
                throw bad;
            }
            call.explain("not counted: {}", bad.getMessage());
            return;
        }
        for (Limit limit : limits) {
            charges.add(
                    element != null && limit.algorithm().countsElements()
                            ? new Charge(
                                    limit,
                                    subject,
                                    element.of(
                                            call, () -> unresolved.add(new Unresolved.Part(limit, Unresolved.ELEMENT))))
                            : new Charge(limit, subject, amount));
        }
        if (endsLater()) {
            shares.add(new Share(this, limits, call, subject, amount));
        }
    }
}
