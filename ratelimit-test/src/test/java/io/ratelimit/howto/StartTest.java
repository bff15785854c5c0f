package io.ratelimit.howto;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.remaining;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.retryAfter;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.test.AutoConfigureTestRateLimiter;
import io.ratelimit.test.TestClock;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.AutoConfigureMockMvc;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.RequestPostProcessor;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@HowTo("start")
@Import(StartTest.Shop.class)
class StartTest {

    @RestController
    static class Shop {

        @GetMapping("/search")
        String search() {
            return "found";
        }

        @RateLimited(maxRequests = "2", windowSize = "1m", key = "param:user")
        @GetMapping("/export")
        String export() {
            return "exported";
        }
    }

    @Test
    void theThirdExportOfAUserIsRefused(@Autowired MockMvc mvc) throws Exception {
        mvc.perform(get("/export?user=alice")).andExpect(isNotRateLimited());
        mvc.perform(get("/export?user=alice")).andExpect(isNotRateLimited());
        mvc.perform(get("/export?user=alice")).andExpect(isRateLimited());
        mvc.perform(get("/export?user=bob")).andExpect(isNotRateLimited());
    }

    @Test
    void eachUserHasAQuotaAndEachAddressOfNobody(@Autowired MockMvc mvc) throws Exception {
        mvc.perform(get("/api/orders").principal(() -> "alice")).andExpect(remaining(99));
        mvc.perform(get("/api/orders").principal(() -> "alice")).andExpect(remaining(98));
        mvc.perform(get("/api/orders").principal(() -> "bob")).andExpect(remaining(99));
        mvc.perform(get("/api/orders").with(from("10.0.0.7")).header("X-Forwarded-For", "203.0.113.9"))
                .andExpect(remaining(99));
        mvc.perform(get("/api/orders").with(from("10.0.0.8")).header("X-Forwarded-For", "203.0.113.9"))
                .andExpect(remaining(98));
    }

    private static RequestPostProcessor from(String address) {
        return request -> {
            request.setRemoteAddr(address);
            return request;
        };
    }

    @Test
    void whatItImportsIsThere() {
        assertThat(Pattern.compile("^\\| `(io\\.ratelimit[.\\w]*)` \\| (.*) \\|$", Pattern.MULTILINE)
                        .matcher(Pages.text(Pages.named("start")))
                        .results()
                        .flatMap(row -> Pattern.compile("`(\\w+)`(?!\\.)")
                                .matcher(row.group(2))
                                .results()
                                .map(name -> row.group(1) + "." + name.group(1))))
                .hasSizeGreaterThan(10)
                .allMatch(name -> name.endsWith(".MockMvc")
                        || name.endsWith(".WebTestClient")
                        || ClassUtils.isPresent(name, null));
    }

    @Nested
    @SpringBootTest
    @AutoConfigureMockMvc
    @AutoConfigureTestRateLimiter
    class SearchTest {

        @Test
        void theSixthSearchWaitsAMinute(@Autowired MockMvc mvc, @Autowired TestClock clock) throws Exception {
            for (int left = 4; left >= 0; left--) {
                mvc.perform(get("/search")).andExpectAll(isNotRateLimited(), remaining(left));
            }
            mvc.perform(get("/search")).andExpectAll(isRateLimited(), retryAfter(Duration.ofMinutes(1)));

            clock.advance(Duration.ofMinutes(1));
            mvc.perform(get("/search")).andExpect(isNotRateLimited());
        }
    }
}
