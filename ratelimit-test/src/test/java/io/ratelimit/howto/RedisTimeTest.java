package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages that compare what decisions cost Redis repeat what the benchmarks have measured. */
class RedisTimeTest {

    @ParameterizedTest
    @CsvSource({
        "choosing, fixed-window, Spring Cloud, `fixed-window` %s",
        "choosing, sliding-window-counter, Spring Cloud, `sliding-window-counter` %s",
        "choosing, token-bucket, Spring Cloud, `token-bucket` %s",
        "choosing, sliding-window-log, Spring Cloud, `sliding-window-log` %s",
        "redis-cost, 'one limit, batch of one', Spring Cloud, %s times what Spring Cloud Gateway's script takes",
        "redis-cost, '32 subjects in one batch', Spring Cloud, a batch of 32 subjects %s times",
        "redis-cost, 'two limits, all or nothing', this library, Two limits in one decision take %s times",
        "redis-cost, 'this library, subjects, at 1,000,000', at 1, a million subjects %s times"
    })
    void aRatioIsThatOfTheMeasurement(String page, String measured, String beside, String sentence) {
        Matcher row = Pattern.compile(
                        "^\\| %s +\\| [^|]*µs[^|]*\\| %s[^|]*\\|[^|]*µs[^|]*\\| ([\\d.]+) "
                                .formatted(Pattern.quote(measured), beside),
                        Pattern.MULTILINE)
                .matcher(Pages.text(Pages.named("performance")));

        assertThat(row.find()).isTrue();
        assertThat(Pages.text(Pages.named(page)).replaceAll("\\s+", " ")).contains(sentence.formatted(row.group(1)));
    }
}
