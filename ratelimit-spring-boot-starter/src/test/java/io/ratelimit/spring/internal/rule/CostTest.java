package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.testing.LogCapture;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;

class CostTest {

    @ParameterizedTest
    @CsvSource({
        "7, 7",
        "#items.size(), 3",
        "#items.size() * 100, 300",
        "2.9, 2",
        "T(Long).MAX_VALUE, 9223372036854775807",
        "new java.math.BigInteger('18446744073709551617'), 9223372036854775807",
        "1e30, 9223372036854775807",
        "#items[0] + '7', 17",
        "' 500 '.toString(), 500",
        "'2.9'.toString(), 2",
        "'1e30'.toString(), 9223372036854775807",
        "new java.math.BigDecimal('0.99999999999999999'), 1",
        "'0.99999999999999999'.toString(), 1"
    })
    void isWhatTheExpressionSays(String text, long cost) {
        assertThat(costOf(text)).isEqualTo(cost);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "#nothing",
                "#nothing.size()",
                "'many'",
                "0",
                "-5",
                "0.5",
                "T(Double).NaN",
                "new java.math.BigInteger('-18446744073709551609')",
                "#items",
                "#items[9]",
                "'9'.repeat(2000000)",
                "T(Integer).parseInt('many')"
            })
    void isOneForBadInput(String text) {
        assertThat(costOf(text)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1})
    void aFixedCostBelowOneIsAnError(long cost) {
        assertThatThrownBy(() -> Cost.fixed(cost, List.of(), "rate-limiter.routes.search"))
                .isInstanceOf(InvalidRateLimitException.class)
                .hasMessage("RL-107: rate-limiter.routes.search: cost '%d' must be at least 1", cost);
    }

    @Test
    void aFixedCostIsTheSameForEveryCall() {
        assertThat(Cost.fixed(10, List.of(), "here").of(call())).isEqualTo(10);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'many' | cost ''many'' is not a number but java.lang.String, 1 is counted",
                "null | cost 'null' is not a number but null, 1 is counted",
                "#nothing.size() | cost '#nothing.size()' failed, 1 is counted: EL1011E: Method call: Attempted to call method size() on null",
                "#items['secret'] | failed, 1 is counted: EL1001E: Type conversion problem, cannot convert from java.lang.String to java.lang.Integer",
                "T(Integer).parseInt('secret') | failed, 1 is counted: java.lang.NumberFormatException"
            },
            quoteCharacter = '`')
    void warnsWithThePlaceAndTheReason(String text, String warning) {
        try (LogCapture log = LogCapture.start()) {
            costOf(text);

            assertThat(log.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .startsWith("RL-453: here: ")
                    .contains(warning)
                    .doesNotContain("For input string");
        }
    }

    @Test
    void ofWhoIsTurnedAwayIsWhatLimitsThatRefuseCanAdmit() {
        Limit tokens = Limit.of("tokens", Algorithm.FIXED_WINDOW, 1_000, Duration.ofHours(1));
        Limit trial = Limit.of("trial", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1))
                .withReportOnly();
        Cost cost = Cost.of(new SpelExpressionParser().parseRaw("500"), "here");

        assertThat(cost.within(List.of(tokens, trial)).of(call())).isEqualTo(500);
    }

    private static long costOf(String text) {
        return Cost.of(new SpelExpressionParser().parseRaw(text), "here").of(call());
    }

    private static Call call() {
        StandardEvaluationContext variables = new StandardEvaluationContext();
        variables.setVariable("items", List.of(1, 2, 3));
        return new Call(null, () -> variables);
    }
}
