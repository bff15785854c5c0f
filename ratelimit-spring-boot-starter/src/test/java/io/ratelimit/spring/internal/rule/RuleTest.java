package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.expression.spel.support.StandardEvaluationContext;

class RuleTest {

    private static final Limit BURST = Limit.of("burst", Algorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1));
    private static final Limit HOURLY = Limit.of("hourly", Algorithm.FIXED_WINDOW, 100, Duration.ofHours(1));
    private static final Call CALL = new Call(null, StandardEvaluationContext::new);

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final SubjectKeyParser keys = new SubjectKeyParser(beans, new Expressions(beans));

    @Test
    void chargesAllLimitsOfAllRulesAtOnce() {
        Acquisition acquisition = Rule.charges(
                        List.of(
                                rule("'alice'", 1, FailurePolicy.LOCAL, BURST, HOURLY),
                                rule("'acme'", 5, FailurePolicy.LOCAL, HOURLY)),
                        CALL)
                .orElseThrow()
                .acquisition();

        assertThat(acquisition.charges())
                .containsExactly(
                        new Charge(BURST, "value:alice", 1),
                        new Charge(HOURLY, "value:alice", 1),
                        new Charge(HOURLY, "value:acme", 5));
    }

    @Test
    void theStrictestPolicyHoldsForAll() {
        assertThat(policyOf(FailurePolicy.OPEN, FailurePolicy.LOCAL)).isEqualTo(FailurePolicy.LOCAL);
        assertThat(policyOf(FailurePolicy.CLOSED, FailurePolicy.LOCAL)).isEqualTo(FailurePolicy.CLOSED);
        assertThat(policyOf(FailurePolicy.OPEN, FailurePolicy.OPEN)).isEqualTo(FailurePolicy.OPEN);
    }

    @Test
    void chargesNothingWhereNoRuleApplies() {
        Rule never = new Rule(
                List.of(BURST),
                keys.parse("global", "here", null),
                null,
                Cost.fixed(1, List.of(), "here"),
                FailurePolicy.CLOSED,
                call -> false,
                Settling.NONE);

        assertThat(Rule.charges(List.of(never), CALL)).isEmpty();
        assertThat(Rule.charges(List.of(never, rule("'alice'", 1, FailurePolicy.OPEN, HOURLY)), CALL))
                .hasValueSatisfying(charges -> {
                    assertThat(charges.acquisition().charges()).hasSize(1);
                    assertThat(charges.acquisition().onStoreFailure()).contains(FailurePolicy.OPEN);
                });
    }

    @Test
    void aRuleThatChargesNothingHasNoSayInThePolicy() {
        Rule unlimited = new Rule(
                new PlannedLimits(
                        List.of(BURST),
                        Plan.parse("'free'", "here", null, new Expressions(beans), beans),
                        Map.of("burst", Map.of("free", Optional.empty())),
                        Set.of("free")),
                keys.parse("global", "here", null),
                null,
                Cost.fixed(1, List.of(), "here"),
                FailurePolicy.CLOSED,
                call -> true,
                Settling.NONE);

        assertThat(Rule.charges(List.of(unlimited, rule("'alice'", 1, FailurePolicy.OPEN, HOURLY)), CALL))
                .hasValueSatisfying(charges ->
                        assertThat(charges.acquisition().onStoreFailure()).contains(FailurePolicy.OPEN));
    }

    @Test
    void aCostAboveTheCapacityIsAnErrorAndNoWait() {
        assertThatThrownBy(() -> Rule.charges(List.of(rule("'alice'", 11, FailurePolicy.LOCAL, BURST)), CALL))
                .isInstanceOf(CostExceedsCapacityException.class)
                .hasMessageContaining("cost '11' can never fit limit 'burst', whose capacity is 10");
    }

    private FailurePolicy policyOf(FailurePolicy first, FailurePolicy second) {
        return Rule.charges(List.of(rule("'a'", 1, first, BURST), rule("'b'", 1, second, BURST)), CALL)
                .orElseThrow()
                .acquisition()
                .onStoreFailure()
                .orElseThrow();
    }

    private Rule rule(String key, long cost, FailurePolicy policy, Limit... limits) {
        return new Rule(
                List.of(limits),
                keys.parse(key, "here", null),
                null,
                Cost.fixed(cost, List.of(), "here"),
                policy,
                call -> true,
                Settling.NONE);
    }
}
