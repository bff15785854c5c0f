package io.ratelimit.spring.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.key.Call;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

class ConditionTest {

    @Test
    void sparesTheCallOnlyWhereItIsFalse() {
        assertThat(holds("#plan == 'premium'")).isFalse();
        assertThat(holds("#plan == 'free'")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#nothing",
                "#nothing.isPremium()",
                "'maybe'",
                "#plan.length()",
                "#plan.charAt(99) == 'x'",
                "T(Integer).parseInt(#plan) > 1"
            })
    void badInputDoesNotGetPastALimit(String text) {
        assertThat(holds(text)).isTrue();
    }

    private static boolean holds(String text) {
        StandardEvaluationContext variables = new StandardEvaluationContext();
        variables.setVariable("plan", "free");
        return new Condition(new SpelExpressionParser().parseRaw(text)).test(new Call(null, () -> variables));
    }
}
