package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.lettuce.core.RedisClient;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.stack.RateLimiterStack;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@HowTo("README")
@Import(ReadmeTest.Users.class)
class ReadmeTest {

    @RestController
    static class Users {

        @RateLimited(key = "param:userId")
        @GetMapping("/check")
        String check() {
            return "User is allowed";
        }
    }

    @Test
    void theSixthCallGetsTheResponseThatItShows(@Autowired MockMvc mvc) throws Exception {
        for (int i = 0; i < 5; i++) {
            mvc.perform(get("/check?userId=alice"));
        }
        MockHttpServletResponse response =
                mvc.perform(get("/check?userId=alice")).andReturn().getResponse();

        List<String> shown =
                Pages.blocks(Pages.named("README"), "http").get(0).lines().toList();
        assertThat(shown.get(0)).isEqualTo("HTTP/1.1 " + response.getStatus());
        assertThat(shown.subList(1, shown.indexOf("")))
                .containsExactlyInAnyOrderElementsOf(response.getHeaderNames().stream()
                        .map(name -> name + ": " + response.getHeader(name))
                        .filter(header -> !header.startsWith("Content-Length"))
                        .toList());
        assertThat(shown.get(shown.size() - 1)).isEqualTo(response.getContentAsString());
    }

    /** Compiled, but not called: without a Redis there is nothing to ask. */
    static Decision decide(RedisClient redisClient) {
        RateLimiterStack limiter = RateLimiterStack.onRedis(RedisConnections.of(redisClient.connect()))
                .build();
        Limit burst = Limit.of("burst", Algorithm.TOKEN_BUCKET, 10, Duration.ofSeconds(1))
                .withBurst(20);
        Limit daily = Limit.of("daily", Algorithm.SLIDING_WINDOW_COUNTER, 9_500, Duration.ofDays(1));
        Decision decision = limiter.acquire(Acquisition.of(burst, "alice").and(daily, "alice", 100));
        return decision;
    }
}
