package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.testing.LogCapture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
                "#nothing.isPremium()",
                "'maybe'",
                "#plan.length()",
                "#plan.charAt(99) == 'x'",
                "T(Integer).parseInt(#plan) > 1"
            })
    void badInputDoesNotGetPastALimit(String text) {
        assertThat(holds(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"#nothing", "#nothing?.equals('trial')", "null"})
    void whatGivesNullDoesNotHold(String text) {
        assertThat(holds(text)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "#nothing.isPremium() | EL1011E: Method call: Attempted to call method isPremium() on null context object",
                "#plan.length() | EL1001E: Type conversion problem, cannot convert from java.lang.Integer to java.lang.Boolean",
                "'maybe' | EL1001E: Type conversion problem, cannot convert from java.lang.String to java.lang.Boolean"
            })
    void warnsWithThePlaceAndTheReason(String text, String reason) {
        try (LogCapture log = LogCapture.start()) {
            holds(text);

            assertThat(log.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .isEqualTo("RL-454: here: condition '%s' failed, the call is limited: %s", text, reason);
        }
    }

    private static boolean holds(String text) {
        StandardEvaluationContext variables = new StandardEvaluationContext();
        variables.setVariable("plan", "free");
        return new Condition(new SpelExpressionParser().parseRaw(text), "here").test(new Call(null, () -> variables));
    }
}
