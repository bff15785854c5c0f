package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.stack.RateLimiterStack;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;

@SpringBootTest
@Import(WaitTest.Mails.class)
class WaitTest {

    @Service
    static class Mails {

        private final List<String> sent = new ArrayList<>();

        @RateLimited(algorithm = "token-bucket", maxRequests = "10", windowSize = "1s", key = "global", maxWait = "5s")
        void send(String message) {
            sent.add(message);
        }

        List<String> sent() {
            return sent;
        }
    }

    @Autowired
    private Mails mails;

    @Test
    void aMethodWaits() {
        long begun = System.nanoTime();
        for (int i = 0; i < 13; i++) {
            mails.send("message " + i);
        }

        assertThat(mails.sent()).hasSize(13);
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThanOrEqualTo(Duration.ofMillis(299));
    }

    @Test
    void aCallInCodeWaits() {
        Limit mails = Limit.of("mails", Algorithm.TOKEN_BUCKET, 1, Duration.ofMillis(50));
        try (RateLimiterStack limiter = RateLimiterStack.inMemory().build()) {
            limiter.acquire(Acquisition.of(mails, "acme"));

            Decision decision = limiter.acquire(Acquisition.of(mails, "acme"), Duration.ofSeconds(5));
            assertThat(decision.allowed()).isTrue();
        }
    }
}
