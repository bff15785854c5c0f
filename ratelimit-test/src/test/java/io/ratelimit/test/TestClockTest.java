package io.ratelimit.test;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.remaining;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;

import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.AutoConfigureMockMvc;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

@SpringBootTest(properties = {"spring.config.name=shop", "spring.data.redis.host=redis.invalid"})
@AutoConfigureMockMvc
@AutoConfigureTestRateLimiter
class TestClockTest {

    @Autowired
    private MockMvc mvc;

    @Autowired
    private TestClock clock;

    /** The second time, the application is the same and nothing is counted. */
    @RepeatedTest(2)
    void aLimitIsUsedUpAndComesBackAtItsTime() throws Exception {
        for (int left = 4; left >= 0; left--) {
            mvc.perform(post("/login")).andExpectAll(isNotRateLimited(), remaining(left), remaining("login", left));
        }
        mvc.perform(post("/login"))
                .andExpectAll(isRateLimited(), retryAfter(Duration.ofMinutes(15)), remaining("all", 95));

        clock.advance(Duration.ofMinutes(15).minusMillis(1));
        mvc.perform(post("/login")).andExpectAll(isRateLimited(), retryAfter(Duration.ofMillis(1)));
        clock.advance(Duration.ofMillis(1));
        mvc.perform(post("/login")).andExpect(isNotRateLimited());
    }

    @Test
    void aTestStartsAtMidnight() {
        assertThat(clock.now().atOffset(ZoneOffset.UTC).toLocalTime()).isEqualTo(LocalTime.MIDNIGHT);
        clock.advance(Duration.ofHours(7));
        assertThatThrownBy(() -> clock.advance(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'PT-0.001S'");
    }

    @Test
    void theMatchersFitMockMvcTester(@Autowired MockMvcTester tester) {
        assertThat(tester.get().uri("/search?user=bob"))
                .matches(isNotRateLimited())
                .matches(remaining("search", 1));
    }

    @Test
    void expectationsThatDoNotHoldShowTheResponse() throws Exception {
        var result = mvc.perform(get("/search?user=alice"));
        assertThatThrownBy(() -> result.andExpect(isRateLimited()))
                .hasMessageContaining("to be refused with status 429")
                .hasMessageContaining("its status is 200")
                .hasMessageContaining("\"search\";r=1");
        assertThatThrownBy(() -> result.andExpect(remaining("search", 2))).hasMessageContaining("2 remaining");
        assertThatThrownBy(() -> result.andExpect(remaining("sear", 1))).hasMessageContaining("limit 'sear'");
        assertThatThrownBy(() -> result.andExpect(remaining(2))).hasMessageContaining("2 remaining");
        assertThatThrownBy(() -> result.andExpect(retryAfter(Duration.ZERO))).hasMessageContaining("Retry-After: 0");
        mvc.perform(get("/search?user=alice"));
        var refused = mvc.perform(get("/search?user=alice"));
        assertThatThrownBy(() -> refused.andExpect(isNotRateLimited())).hasMessageContaining("not to be refused");
        assertThatThrownBy(() -> refused.andExpect(retryAfter(Duration.ofSeconds(59))))
                .hasMessageContaining("Retry-After: '60'");
    }

    @Nested
    class InAClassWithin {

        @Test
        void countsAndClockAreTheSame(@Autowired TestClock same) throws Exception {
            assertThat(same).isSameAs(clock);
            mvc.perform(post("/login")).andExpect(remaining(4));
        }
    }

    @Nested
    class BeforeAllOfOne extends BeforeAllMethods {}

    @Nested
    class BeforeAllOfAnother extends BeforeAllMethods {}

    /** What the class before has used is not used here, although the application is the same. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract class BeforeAllMethods {

        @BeforeAll
        void nothingIsCounted() throws Exception {
            mvc.perform(post("/login")).andExpect(remaining(4));
        }

        @Test
        void norBeforeAMethod() throws Exception {
            mvc.perform(post("/login")).andExpect(remaining(4));
        }
    }
}
