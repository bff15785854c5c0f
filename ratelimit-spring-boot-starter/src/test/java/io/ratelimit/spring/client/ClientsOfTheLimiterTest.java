package io.ratelimit.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import feign.Capability;
import feign.Feign;
import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreListener;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimiterStackCustomizer;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.Patience;
import io.ratelimit.stack.RateLimiterStackBuilder;
import io.ratelimit.testing.TestRedis;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.client.RestTemplateBuilder;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** Beans that the limiter needs may have clients that it limits. */
class ClientsOfTheLimiterTest {

    static final class OwnNumbers implements LimitProvider {

        OwnNumbers(RestClient.Builder builder) {
            builder.build();
        }

        @Override
        public Optional<Numbers> numbers(Limit limit, String subject) {
            return Optional.empty();
        }
    }

    static final class Decisions implements DecisionListener {

        Decisions(WebClient.Builder builder) {
            builder.build();
        }

        @Override
        public void onDecision(Acquisition acquisition, Decision decision) {}
    }

    static final class RoundTrips implements StoreListener {

        RoundTrips(RestTemplateBuilder builder) {
            builder.build();
        }

        @Override
        public void onRoundTrip(RoundTrip roundTrip) {}
    }

    static final class Customizer implements RateLimiterStackCustomizer {

        Customizer(List<Capability> ofFeign) {
            assertThat(ofFeign).isNotEmpty();
        }

        @Override
        public void customize(RateLimiterStackBuilder stack) {}
    }

    /** Looks capabilities up as OpenFeign does, which finds none of those that are being made. */
    static final class ByFeign implements LimitProvider {

        ByFeign(ListableBeanFactory beans) {
            Feign.Builder client = Feign.builder();
            assertThat(BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, Capability.class))
                    .hasSize(1)
                    .allSatisfy((name, capability) -> client.addCapability(capability));
            client.build();
        }

        @Override
        public Optional<Numbers> numbers(Limit limit, String subject) {
            return Optional.empty();
        }
    }

    record GitHub(RestClient.Builder builder) {}

    record GitLab(Capability ofFeign) {

        GitLab {
            Feign.builder().addCapability(ofFeign).build();
        }
    }

    record NumbersOfGitHub(GitHub github) implements LimitProvider {

        @Override
        public Optional<Numbers> numbers(Limit limit, String subject) {
            return Optional.empty();
        }
    }

    /** Looks numbers up at the partner. */
    static final class Contracts implements LimitProvider {

        private final RestClient client;

        Contracts(RestClient.Builder builder, String url) {
            this.client = builder.baseUrl(url).build();
        }

        @Override
        public Optional<Numbers> numbers(Limit limit, String subject) {
            client.get().retrieve().toBodilessEntity();
            return Optional.of(Numbers.of(50));
        }
    }

    private final Partner partner = new Partner();
    private final ApplicationContextRunner application = partner.application();

    @AfterEach
    void close() {
        partner.close();
    }

    @ParameterizedTest
    @ValueSource(classes = {OwnNumbers.class, Decisions.class, RoundTrips.class, Customizer.class})
    void whereCountsAreInMemory(Class<?> bean) {
        try (LogCapture log = LogCapture.start()) {
            application.withBean(bean).run(this::assertLimits);
            assertThat(log.messages(Level.INFO)).singleElement().asString().contains("in memory");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OwnNumbers.class, Decisions.class, RoundTrips.class, Customizer.class})
    void whereAnotherBeanHasAClient(Class<?> bean) {
        application.withBean(GitHub.class).withBean(bean).run(this::assertLimits);
    }

    @ParameterizedTest
    @ValueSource(classes = {GitHub.class, GitLab.class})
    void ofFeignWhereAnotherBeanHasAClient(Class<?> other) {
        application.withBean(other).withBean(ByFeign.class).run(this::assertLimits);
    }

    @Test
    void byABeanThatIsMadeBefore() {
        application.withBean(GitHub.class).withBean(NumbersOfGitHub.class).run(this::assertLimits);
    }

    @ParameterizedTest
    @ValueSource(classes = {OwnNumbers.class, Decisions.class, RoundTrips.class, Customizer.class})
    void whereCountsAreInRedis(Class<?> bean) {
        application
                .withBean(bean)
                .withPropertyValues(
                        "spring.data.redis.url=" + TestRedis.uri(),
                        "rate-limiter.key-prefix=" + UUID.randomUUID(),
                        "rate-limiter.timeout=15s")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Patience.awaitStore(context.getBean(RateLimiter.class));
                    assertLimits(context);
                });
    }

    private void assertLimits(BeanFactory beans) {
        assertThat(Client.REST_CLIENT.get(beans, partner.url())).isEqualTo(200);
        assertThat(remaining(beans)).isEqualTo(1);
    }

    /** The numbers of the client's own limit are not there when the look-up needs them: it goes on without, as any first call does. */
    @Test
    void aLookUpByAClientWhoseNumbersItLooksUpEnds() {
        application
                .withBean(Contracts.class, partner.url())
                .withPropertyValues("rate-limiter.timeout=200ms")
                .run(context -> {
                    assertThat(Client.REST_CLIENT.get(context, partner.url())).isEqualTo(200);
                    Awaitility.await().until(() -> remaining(context) == 48);
                    assertThat(partner.requests()).isEqualTo(2);

                    assertThat(Client.REST_CLIENT.get(context, partner.url())).isEqualTo(200);
                    assertThat(partner.requests()).isEqualTo(3);
                });
    }

    private static long remaining(BeanFactory beans) {
        Limit limit = beans.getBean(Limits.class).get("partner");
        return beans.getBean(RateLimiter.class)
                .peek(Acquisition.of(limit, "global"))
                .remaining();
    }
}
