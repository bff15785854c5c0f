package io.ratelimit.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RateLimiterStackCustomizer;
import io.ratelimit.spring.testing.Patience;
import io.ratelimit.testing.TestRedis;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.web.client.RestClient;

/** A limiter that only clients need is there from the start to the end, as any other. */
class LimiterOfClientsTest {

    private final Partner partner = new Partner();
    private final ApplicationContextRunner application = partner.application();

    @AfterEach
    void close() {
        partner.close();
    }

    record Contracts(RestClient.Builder client) implements LimitProvider {

        @Override
        public Optional<Numbers> numbers(Limit limit, String subject) {
            return Optional.empty();
        }
    }

    /** Also one whose provider has a client, so that it cannot be made when its clients are. */
    @ParameterizedTest
    @ValueSource(classes = {Object.class, Contracts.class})
    void stopsTheStartIfItCannotBeMade(Class<?> provider) {
        application
                .withBean(provider)
                .withBean(RateLimiterStackCustomizer.class, () -> stack -> {
                    throw new IllegalStateException("wrong");
                })
                .run(context -> assertThat(context).getFailure().rootCause().isInstanceOf(IllegalStateException.class));
    }

    /** Says goodbye to its partner. */
    static final class GitHub implements DisposableBean {

        private final RestClient client;

        GitHub(RestClient.Builder builder, String url) {
            this.client = builder.baseUrl(url).build();
        }

        @Override
        public void destroy() {
            client.get().retrieve().toBodilessEntity();
        }
    }

    @Test
    void isClosedAfterTheBeansThatHaveClients() {
        application
                .withBean(GitHub.class, partner.url())
                .withPropertyValues(
                        "spring.http.client.factory=jdk",
                        "spring.data.redis.url=" + TestRedis.uri(),
                        "rate-limiter.key-prefix=" + UUID.randomUUID(),
                        "rate-limiter.timeout=15s",
                        "rate-limiter.on-store-failure=closed")
                .run(context -> Patience.awaitStore(context.getBean(RateLimiter.class)));

        assertThat(partner.requests()).isEqualTo(1);
    }
}
