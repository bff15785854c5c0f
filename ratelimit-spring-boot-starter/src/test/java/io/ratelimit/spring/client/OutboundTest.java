package io.ratelimit.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import feign.Request.HttpMethod;
import feign.RetryableException;
import feign.Retryer;
import io.ratelimit.Acquisition;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.OutboundLimitExceededException;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.stack.RateLimiterStack;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.web.client.RestClientAutoConfiguration;
import org.springframework.boot.autoconfigure.web.client.RestClientBuilderConfigurer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.web.client.RestClientCustomizer;
import org.springframework.boot.web.client.RestTemplateBuilder;
import org.springframework.cloud.context.environment.EnvironmentChangeEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What clients of Spring Boot's builders may send to a partner. */
class OutboundTest {

    private final Partner partner = new Partner();
    private final ApplicationContextRunner application = partner.application();

    @AfterEach
    void close() {
        partner.close();
    }

    @ParameterizedTest
    @EnumSource
    void whatDoesNotFitIsRefusedBeforeAnythingIsSent(Client client) {
        application.run(context -> {
            assertThat(client.get(context, partner.url())).isEqualTo(200);
            assertThat(client.get(context, partner.url())).isEqualTo(200);

            assertThatThrownBy(() -> client.get(context, partner.url()))
                    .isInstanceOfSatisfying(OutboundLimitExceededException.class, refused -> {
                        assertThat(refused.client()).isEqualTo("shop");
                        assertThat(refused.decision().retryAfter())
                                .isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
                    })
                    .hasMessageStartingWith("client 'shop' is refused by limit 'partner', retry after PT");

            assertThat(partner.requests()).isEqualTo(2);
        });
    }

    @ParameterizedTest
    @EnumSource
    void otherHostsAreNotLimited(Client client) {
        application.run(context -> {
            for (int i = 0; i < 5; i++) {
                assertThat(client.get(context, partner.urlOfAnotherHost())).isEqualTo(200);
            }
            assertThat(remaining(context, "global")).isEqualTo(2);
        });
    }

    @ParameterizedTest
    @EnumSource
    void whatSpringCloudChangesHoldsForTheNextRequest(Client client) {
        application.run(context -> {
            assertThat(client.get(context, partner.url())).isEqualTo(200);
            refresh(
                    context,
                    Map.of(
                            "rate-limiter.limits.partner.max-requests", "1",
                            "rate-limiter.clients.other.hosts", "127.0.0.1",
                            "rate-limiter.clients.other.limits", "partner"));

            assertThatThrownBy(() -> client.get(context, partner.url()))
                    .isInstanceOf(OutboundLimitExceededException.class)
                    .hasMessageStartingWith("client 'shop'");
            assertThatThrownBy(() -> client.get(context, partner.urlOfAnotherHost()))
                    .isInstanceOf(OutboundLimitExceededException.class)
                    .hasMessageStartingWith("client 'other'");
        });
    }

    private static void refresh(ConfigurableApplicationContext context, Map<String, Object> changed) {
        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("changed", changed));
        context.publishEvent(new EnvironmentChangeEvent(changed.keySet()));
    }

    @ParameterizedTest
    @EnumSource
    void aRequestWaitsForQuota(Client client) {
        application
                .withPropertyValues(
                        "rate-limiter.limits.partner.max-requests=1",
                        "rate-limiter.limits.partner.window-size=300ms",
                        "rate-limiter.clients.shop.max-wait=1m")
                .run(context -> {
                    client.get(context, partner.url());
                    client.get(context, partner.url());
                    long startNanos = System.nanoTime();
                    client.get(context, partner.url());
                    client.get(context, partner.url());

                    assertThat(partner.requests()).isEqualTo(4);
                    assertThat(partner.arrivals.get(3) - startNanos)
                            .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(300));
                });
    }

    /** A bean of a key fetches what it says from the partner itself. */
    static class FetchedTokens implements BeanFactoryAware {

        private final Client client;
        private final String url;
        private BeanFactory beans;

        FetchedTokens(Client client, String url) {
            this.client = client;
            this.url = url;
        }

        @Override
        public void setBeanFactory(BeanFactory beanFactory) {
            this.beans = beanFactory;
        }

        public String current() {
            return "token of " + client.get(beans, url);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatAKeySendsItselfCountsAsGlobal(Client client) {
        application
                .withBean("tokens", FetchedTokens.class, () -> new FetchedTokens(client, partner.url()))
                .withPropertyValues("rate-limiter.clients.shop.key=@tokens.current()")
                .run(context -> {
                    assertThat(client.get(context, partner.url())).isEqualTo(200);

                    assertThat(partner.requests()).isEqualTo(2);
                    assertThat(remaining(context, "global")).isEqualTo(1);
                    assertThat(remaining(context, "value:token of 200")).isEqualTo(1);
                });
    }

    @ParameterizedTest
    @EnumSource(names = {"REST_CLIENT", "REST_TEMPLATE", "FEIGN"})
    void onAThreadThatMustNotBlockNothingWaitsForQuota(Client client) {
        application
                .withPropertyValues(
                        "rate-limiter.limits.partner.max-requests=1",
                        "rate-limiter.limits.partner.window-size=30s",
                        "rate-limiter.clients.shop.max-wait=1m")
                .run(context -> {
                    client.get(context, partner.url());

                    assertThatThrownBy(() -> Mono.fromCallable(() -> client.get(context, partner.url()))
                                    .subscribeOn(Schedulers.parallel())
                                    .block())
                            .isInstanceOf(OutboundLimitExceededException.class);
                });
    }

    @ParameterizedTest
    @EnumSource
    void a429StopsEveryClientUntilItsRetryAfter(Client client) {
        application
                .withPropertyValues("rate-limiter.limits.partner.max-requests=99")
                .run(context -> {
                    partner.answers(429, Map.of("Retry-After", "300"));
                    assertThat(client.get(context, partner.url())).isEqualTo(429);
                    partner.answers(200, Map.of());

                    for (Client any : Client.values()) {
                        assertThatThrownBy(() -> any.get(context, partner.url()))
                                .isInstanceOfSatisfying(
                                        OutboundLimitExceededException.class,
                                        refused -> assertThat(refused.decision().retryAfter())
                                                .isBetween(Duration.ofSeconds(200), Duration.ofSeconds(300)))
                                .hasMessageContaining("blocked limit 'partner'");
                    }
                    assertThat(partner.requests()).isEqualTo(1);
                });
    }

    /** As filters of an application do, which stand nearer to the partner. */
    @Test
    void aStopThatAnExceptionOfWebClientCarriesHolds() {
        application
                .withPropertyValues("rate-limiter.limits.partner.max-requests=99")
                .run(context -> {
                    partner.answers(429, Map.of("Retry-After", "300"));
                    WebClient client = context.getBean(WebClient.Builder.class)
                            .filter(ExchangeFilterFunction.ofResponseProcessor(response -> response.createException()
                                    .map(IllegalStateException::new)
                                    .flatMap(Mono::error)))
                            .build();
                    Runnable call = () -> client.get()
                            .uri(partner.url())
                            .retrieve()
                            .toBodilessEntity()
                            .block();

                    assertThatThrownBy(call::run).isNotInstanceOf(OutboundLimitExceededException.class);
                    assertThatThrownBy(call::run).isInstanceOf(OutboundLimitExceededException.class);
                });
    }

    /** As one that gives tokens. */
    @Test
    void theStopOfAnotherServerThatAFilterAsksIsNotThePartners() {
        application
                .withPropertyValues("rate-limiter.limits.partner.max-requests=99")
                .run(context -> {
                    partner.answers(429, Map.of("Retry-After", "300"));
                    WebClient other = WebClient.create();
                    WebClient client = context.getBean(WebClient.Builder.class)
                            .filter((request, next) -> other.get()
                                    .uri(partner.urlOfAnotherHost())
                                    .retrieve()
                                    .toBodilessEntity()
                                    .then(next.exchange(request)))
                            .build();
                    Runnable call = () -> client.get()
                            .uri(partner.url())
                            .retrieve()
                            .toBodilessEntity()
                            .block();

                    assertThatThrownBy(call::run).isInstanceOf(WebClientResponseException.class);
                    assertThatThrownBy(call::run).isInstanceOf(WebClientResponseException.class);
                    assertThat(remaining(context, "global")).isEqualTo(97);
                });
    }

    @Test
    void whatAPartnerLeavesCapsEachLimitThatHasMore() {
        application
                .withPropertyValues(
                        "rate-limiter.clients.shop.limits=partner,second",
                        "rate-limiter.limits.partner.max-requests=99",
                        "rate-limiter.limits.second.max-requests=1",
                        "rate-limiter.limits.second.window-size=1ms")
                .run(context -> {
                    partner.answers(200, Map.of("RateLimit", "\"hourly\";r=3;t=3000"));

                    Client.REST_CLIENT.get(context, partner.url());

                    assertThat(remaining(context, "global")).isEqualTo(3);
                });
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerWithAnEndlessTimeIsTheCallersAndStopsNothing(Client client) {
        application
                .withPropertyValues("rate-limiter.clients.shop.obey=x-ratelimit")
                .run(context -> {
                    partner.answers(200, Map.of("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1s".repeat(3_000)));

                    assertThat(client.get(context, partner.url())).isEqualTo(200);
                    assertThat(client.get(context, partner.url())).isEqualTo(200);
                });
    }

    @ParameterizedTest
    @EnumSource
    void whatThePartnerLeavesCapsWhatIsLeftForEveryClient(Client client) {
        application
                .withPropertyValues("rate-limiter.limits.partner.max-requests=99")
                .run(context -> {
                    partner.answers(200, Map.of("RateLimit", "\"theirs\";r=4;t=300"));
                    client.get(context, partner.url());
                    assertThat(remaining(context, "global")).isEqualTo(4);
                    partner.answers(200, Map.of("RateLimit", "\"theirs\";r=90;t=300"));
                    for (Client any : Client.values()) {
                        any.get(context, partner.url());
                    }

                    assertThatThrownBy(() -> client.get(context, partner.url()))
                            .isInstanceOfSatisfying(
                                    OutboundLimitExceededException.class,
                                    refused -> assertThat(refused.decision().retryAfter())
                                            .isBetween(Duration.ofSeconds(200), Duration.ofSeconds(300)));
                    assertThat(partner.requests()).isEqualTo(5);
                });
    }

    @ParameterizedTest
    @EnumSource
    void aRequestWaitsForTheEndOfABlock(Client client) {
        application
                .withPropertyValues(
                        "rate-limiter.limits.partner.max-requests=99", "rate-limiter.clients.shop.max-wait=1m")
                .run(context -> {
                    partner.answers(503, Map.of("Retry-After", "1"));
                    client.get(context, partner.url());
                    partner.answers(200, Map.of());
                    assertThat(client.get(context, partner.url())).isEqualTo(200);

                    assertThat(partner.arrivals.get(1) - partner.arrivals.get(0))
                            .isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
                });
    }

    @Test
    void noAnswerStopsForLongerThanTheBound() {
        application
                .withPropertyValues(
                        "rate-limiter.limits.partner.max-requests=99",
                        "rate-limiter.clients.shop.max-block=2m",
                        "rate-limiter.clients.shop.obey=retry-after,ratelimit,x-ratelimit,x-ratelimit-tokens")
                .run(context -> {
                    for (Map<String, String> nonsense : List.of(
                            Map.of("Retry-After", "-1"),
                            Map.of("Retry-After", "soon"),
                            Map.of("Retry-After", "Thu, 01 Jan 1970 00:00:00 GMT"),
                            Map.of("RateLimit", "\"a;r=0"),
                            Map.of("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "-5"),
                            Map.of("X-RateLimit-Remaining-Tokens", "none"))) {
                        partner.answers(429, nonsense);
                        assertThat(Client.REST_CLIENT.get(context, partner.url()))
                                .as("after %s", nonsense)
                                .isEqualTo(429);
                    }
                    partner.answers(429, Map.of("Retry-After", "1000000000000000000"));
                    Client.REST_CLIENT.get(context, partner.url());

                    assertThat(context.getBean(RateLimiter.class)
                                    .peek(Acquisition.of(limit(context), "global"))
                                    .retryAfter())
                            .isBetween(Duration.ofSeconds(90), Duration.ofMinutes(2));
                });
    }

    @Test
    void aSubscriptionThatIsCancelledWhileItWaitsIsNotCharged() {
        application.withPropertyValues("rate-limiter.clients.shop.max-wait=1d").run(context -> {
            Client.WEB_CLIENT.get(context, partner.url());
            Client.WEB_CLIENT.get(context, partner.url());
            RateLimiterStack limiter = context.getBean(RateLimiterStack.class);

            Disposable waiting = context.getBean(WebClient.Builder.class)
                    .build()
                    .get()
                    .uri(partner.url())
                    .retrieve()
                    .toBodilessEntity()
                    .subscribe();
            assertThat(limiter.state().waiting()).isEqualTo(1);
            waiting.dispose();

            Awaitility.await().until(() -> limiter.state().waiting() == 0);
            limiter.reset(limit(context), "global");
            assertThat(remaining(context, "global")).isEqualTo(2);
            assertThat(partner.requests()).isEqualTo(2);
        });
    }

    @Test
    void eachAttemptCounts() {
        application.run(context -> {
            partner.answers(500, Map.of());
            WebClient client = context.getBean(WebClient.Builder.class).build();

            assertThatThrownBy(() -> client.get()
                            .uri(partner.url())
                            .retrieve()
                            .toBodilessEntity()
                            .retry(5)
                            .block())
                    .isInstanceOf(OutboundLimitExceededException.class);

            assertThat(partner.requests()).isEqualTo(2);
            assertThat(remaining(context, "global")).isZero();
        });
    }

    @Test
    void eachAttemptOfFeignCounts() {
        application.run(context -> {
            partner.answers(503, Map.of("Retry-After", "0"));
            Client.Partner feign = Client.feign(context)
                    .errorDecoder((method, response) ->
                            new RetryableException(503, "again", HttpMethod.GET, 1L, response.request()))
                    .retryer(new Retryer.Default(1, 1, 9))
                    .target(Client.Partner.class, partner.url());

            assertThatThrownBy(feign::fail).isInstanceOf(OutboundLimitExceededException.class);

            assertThat(partner.requests()).isEqualTo(2);
        });
    }

    @Test
    void aUrlOfFeignThatIsNoUriIsLimitedByItsHost() {
        application.run(context -> {
            Client.Partner feign = Client.feign(context).target(Client.Partner.class, partner.url());
            feign.unusual().close();
            assertThat(remaining(context, "global")).isEqualTo(1);
        });
    }

    @Test
    void clientsBuiltByHandAreLimitedIfTheyAskForIt() {
        application.run(context -> {
            RestClient.create().get().uri(partner.url()).retrieve().toBodilessEntity();
            assertThat(remaining(context, "global")).isEqualTo(2);

            RestClient.Builder builder = RestClient.builder();
            RestClientCustomizer limits = context.getBean("rateLimiterRestClients", RestClientCustomizer.class);
            limits.customize(builder);
            limits.customize(builder);
            builder.build().get().uri(partner.url()).retrieve().toBodilessEntity();

            assertThat(remaining(context, "global")).isEqualTo(1);
        });
    }

    /** Spring copies the template's interceptors. */
    @Test
    void aRestClientThatIsMadeOfARestTemplateIsLimitedOnce() {
        application.run(context -> {
            RestTemplate template = context.getBean(RestTemplateBuilder.class).build();
            context.getBean(RestClientBuilderConfigurer.class)
                    .configure(RestClient.builder(template))
                    .build()
                    .get()
                    .uri(partner.url())
                    .retrieve()
                    .toBodilessEntity();

            assertThat(partner.requests()).isEqualTo(1);
            assertThat(remaining(context, "global")).isEqualTo(1);
        });
    }

    @Test
    void aKeyGivesEachTokenItsQuota() {
        application
                .withBean("tokens", Tokens.class)
                .withPropertyValues("rate-limiter.clients.shop.key=@tokens.current()")
                .run(context -> {
                    Client.REST_CLIENT.get(context, partner.url());
                    context.getBean(Tokens.class).token = "two";
                    Client.REST_CLIENT.get(context, partner.url());

                    assertThat(remaining(context, "value:one")).isEqualTo(1);
                    assertThat(remaining(context, "value:two")).isEqualTo(1);
                });
    }

    @Test
    void nothingIsLimitedWhereTheLimiterIsSwitchedOff() {
        application.withPropertyValues("rate-limiter.enabled=false").run(context -> {
            for (int i = 0; i < 5; i++) {
                assertThat(Client.REST_CLIENT.get(context, partner.url())).isEqualTo(200);
            }
        });
    }

    @Test
    void withoutClientsNothingIsCustomized() {
        Contexts.plain()
                .withConfiguration(AutoConfigurations.of(RestClientAutoConfiguration.class))
                .run(context -> assertThat(context).doesNotHaveBean("rateLimiterRestClients"));
    }

    static class Tokens {
        volatile String token = "one";

        public String current() {
            return token;
        }
    }

    private static Limit limit(BeanFactory beans) {
        return beans.getBean(Limits.class).get("partner");
    }

    private static long remaining(BeanFactory beans, String subject) {
        return beans.getBean(RateLimiter.class)
                .peek(Acquisition.of(limit(beans), subject))
                .remaining();
    }
}
