package io.ratelimit.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.api.sync.RedisCommands;
import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.OutboundLimitExceededException;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.RedisProcess;
import io.ratelimit.testing.TestRedis;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/** Instances of an application that calls one partner. */
class OutboundOnRedisTest {

    @RestController
    static class Shop {

        private final RestClient partner;

        Shop(RestClient.Builder builder) {
            this.partner = builder.build();
        }

        @GetMapping("/things")
        String things(String url) {
            partner.get().uri(url).exchange((request, response) -> response.getStatusCode());
            return "things";
        }
    }

    @Test
    void allInstancesShareTheQuotaAndStopAtOneAnswer() {
        try (Partner partner = new Partner()) {
            String[] properties = {
                "spring.data.redis.url=" + TestRedis.uri(),
                "rate-limiter.key-prefix=" + UUID.randomUUID(),
                "rate-limiter.limits.partner.max-requests=3",
                "rate-limiter.limits.partner.window-size=1h",
                "rate-limiter.clients.shop.hosts=" + partner.host(),
                "rate-limiter.clients.shop.limits=partner"
            };
            try (TestApp one = TestApp.start(List.of(Shop.class), properties).onRedis();
                    TestApp other =
                            TestApp.start(List.of(Shop.class), properties).onRedis()) {
                String path = "/things?url=" + partner.url();
                assertThat(one.get(path).status()).isEqualTo(200);
                partner.answers(429, Map.of("Retry-After", "300"));
                assertThat(other.get(path).status()).isEqualTo(200);
                Acquisition peeked = Acquisition.of(one.bean(Limits.class).get("partner"), "global");
                Awaitility.await() // nobody waits for the block to be stored
                        .until(() -> !one.bean(RateLimiter.class).peek(peeked).allowed());

                assertThat(one.get(path).status()).isEqualTo(503);
                assertThat(Integer.parseInt(one.get(path).header("Retry-After")))
                        .isBetween(200, 300);
                assertThat(one.get(path).body()).contains("#temporary-reduced-capacity");
                assertThatThrownBy(() -> other.bean(RestClient.Builder.class)
                                .build()
                                .get()
                                .uri(partner.url())
                                .retrieve()
                                .toBodilessEntity())
                        .isInstanceOfSatisfying(
                                OutboundLimitExceededException.class,
                                refused -> assertThat(refused.decision().retryAfter())
                                        .isBetween(Duration.ofSeconds(200), Duration.ofSeconds(300)));
                assertThat(partner.requests()).isEqualTo(2);
            }
        }
    }

    @Test
    void whatAnAnswerLeavesWhileRedisIsAwayIsPassedOnWhenItIsBack() {
        try (Partner partner = new Partner();
                RedisProcess redis = RedisProcess.start();
                TestApp app = TestApp.start(
                                List.of(Shop.class),
                                "spring.data.redis.url=" + redis.uri(),
                                "rate-limiter.on-store-failure=open",
                                "rate-limiter.limits.partner.max-requests=99",
                                "rate-limiter.limits.partner.window-size=1h",
                                "rate-limiter.clients.shop.hosts=" + partner.host(),
                                "rate-limiter.clients.shop.limits=partner")
                        .onRedis()) {
            partner.answers(200, Map.of("RateLimit", "\"theirs\";r=4;t=3000"));
            redis.ask(server -> server.replicaof("127.0.0.1", 1));
            assertThat(app.get("/things?url=" + partner.url()).status()).isEqualTo(200);

            redis.ask(RedisCommands::replicaofNoOne);

            Acquisition peeked = Acquisition.of(app.bean(Limits.class).get("partner"), "global");
            Awaitility.await()
                    .until(() -> app.bean(RateLimiter.class).peek(peeked).remaining() == 4);
        }
    }
}
