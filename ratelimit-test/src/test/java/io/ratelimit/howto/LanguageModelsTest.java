package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.spring.Limits;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** The limits of the page; what charges them is tested in ratelimit-spring-ai. */
@HowTo("language-models")
class LanguageModelsTest {

    @Test
    void theLimitsAreThoseOfThePage(@Autowired Limits limits) {
        assertThat(limits.get("model-tokens"))
                .isEqualTo(Limit.of("model-tokens", Algorithm.SLIDING_WINDOW_LOG, 30_000, Duration.ofMinutes(1)));
        assertThat(limits.get("tenant-tokens").algorithm()).isEqualTo(Algorithm.FIXED_WINDOW);
    }
}
