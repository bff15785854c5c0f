package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.ObservationRegistry;
import io.ratelimit.Algorithm;
import io.ratelimit.CalendarPeriod;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.spring.HeaderFamily;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.BanProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.ClientProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.LevelProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.LimitProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.PlanProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.Store;
import io.ratelimit.spring.testing.Contexts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;

class PropertyBindingTest {

    @Test
    void hasTheDocumentedDefaults() {
        Contexts.plain()
                .run(context -> assertThat(context.getBean(RateLimiterProperties.class))
                        .isEqualTo(new RateLimiterProperties(
                                true,
                                "sliding-window-log",
                                null,
                                Duration.ofSeconds(60),
                                null,
                                null,
                                null,
                                null,
                                List.of("all"),
                                Map.of(),
                                null,
                                "caller",
                                Store.AUTO,
                                FailurePolicy.LOCAL,
                                Duration.ofMillis(100),
                                null,
                                1000,
                                List.of(HeaderFamily.IETF, HeaderFamily.X_RATELIMIT),
                                "0",
                                false,
                                80,
                                false,
                                "rate_limit",
                                List.of(),
                                null,
                                List.of(),
                                List.of(),
                                64,
                                Map.of(),
                                Map.of(),
                                Map.of())));
    }

    @Test
    void propertiesOfTheApplicationAreBoundWithoutUs() {
        Contexts.plain()
                .run(context -> assertThat(context).doesNotHaveBean(ConfigurationPropertiesBindHandlerAdvisor.class));
    }

    @Test
    void bindsEveryProperty() {
        Contexts.plain()
                .withBean(ObservationRegistry.class, ObservationRegistry::create)
                .withPropertyValues(
                        "rate-limiter.enabled=true",
                        "rate-limiter.use-algo=token-bucket",
                        "rate-limiter.max-requests=5",
                        "rate-limiter.window-size=60",
                        "rate-limiter.burst=9",
                        "rate-limiter.lease=3",
                        "rate-limiter.shards=2",
                        "rate-limiter.count=failures,401",
                        "rate-limiter.key=header:X-User",
                        "rate-limiter.store=in-memory",
                        "rate-limiter.on-store-failure=closed",
                        "rate-limiter.timeout=50ms",
                        "rate-limiter.max-waiting-threads=30",
                        "rate-limiter.order=200",
                        "rate-limiter.headers=x-ratelimit",
                        "rate-limiter.report-only=true",
                        "rate-limiter.warn-at=90",
                        "rate-limiter.observations=true",
                        "rate-limiter.key-prefix=shop",
                        "rate-limiter.trusted-proxies=10.0.0.0/8,192.168.0.0/16",
                        "rate-limiter.client-address-header=CF-Connecting-IP",
                        "rate-limiter.limits.burst.use-algo=token-bucket",
                        "rate-limiter.limits.burst.max-requests=10",
                        "rate-limiter.limits.burst.window-size=1s",
                        "rate-limiter.limits.burst.burst=20",
                        "rate-limiter.limits.burst.lease=5",
                        "rate-limiter.limits.burst.shards=4",
                        "rate-limiter.limits.login.max-requests=5",
                        "rate-limiter.limits.login.calendar=month",
                        "rate-limiter.limits.login.zone=Europe/Paris",
                        "rate-limiter.limits.login.starts-on=14",
                        "rate-limiter.limits.login.ban.after=5",
                        "rate-limiter.limits.login.ban.within=600",
                        "rate-limiter.limits.login.ban.for=60,1h",
                        "rate-limiter.limits.login.report-only=true",
                        "rate-limiter.routes.org.paths=/v2/**",
                        "rate-limiter.routes.org.report-only=true",
                        "rate-limiter.routes.org.levels[0].limits[0]=login",
                        "rate-limiter.routes.org.levels[0].key=ip",
                        "rate-limiter.routes.org.levels[0].plan='gold'",
                        "rate-limiter.routes.org.levels[1].limits=login",
                        "rate-limiter.routes.org.levels[1].key=principal",
                        "rate-limiter.routes.api.paths=/api/**",
                        "rate-limiter.routes.api.exclude=/api/health",
                        "rate-limiter.routes.api.methods=GET,POST",
                        "rate-limiter.routes.api.limits=burst",
                        "rate-limiter.routes.api.key=ip",
                        "rate-limiter.routes.api.cost=2",
                        "rate-limiter.routes.api.actual-cost=header:X-Tokens",
                        "rate-limiter.routes.api.count=401,BadCredentialsException",
                        "rate-limiter.limits.burst.count=failures",
                        "rate-limiter.routes.api.element=header:X-Device",
                        "rate-limiter.routes.api.on-store-failure=open",
                        "rate-limiter.routes.api.use-algo=token-bucket",
                        "rate-limiter.routes.api.max-requests=100",
                        "rate-limiter.routes.api.window-size=2",
                        "rate-limiter.routes.api.condition=#request.method() != 'HEAD'",
                        "rate-limiter.ipv6-prefix-length=56",
                        "rate-limiter.routes.api.burst=200",
                        "rate-limiter.routes.api.lease=50",
                        "rate-limiter.routes.api.shards=3",
                        "rate-limiter.plan=ofCustomer",
                        "rate-limiter.retry-after-spread=25%",
                        "rate-limiter.allow=principal:monitor",
                        "rate-limiter.deny=203.0.113.0/24,header:x-api-key:leaked",
                        "rate-limiter.routes.api.allow=2001:db8::/32",
                        "rate-limiter.routes.api.deny=principal:mallory",
                        "rate-limiter.routes.api.plan='gold'",
                        "rate-limiter.limits.login.plans.gold.max-requests=9",
                        "rate-limiter.limits.login.plans.staff.unlimited=true",
                        "rate-limiter.limits.burst.approximate=false",
                        "rate-limiter.routes.api.approximate=false",
                        "rate-limiter.routes.api.plans.gold.burst=300",
                        "rate-limiter.clients.github.hosts=api.github.com,*.example.com",
                        "rate-limiter.clients.github.limits=burst",
                        "rate-limiter.clients.github.key='token'",
                        "rate-limiter.clients.github.obey=x-ratelimit",
                        "rate-limiter.clients.github.max-wait=5",
                        "rate-limiter.clients.github.max-block=10m")
                .run(context -> assertThat(context.getBean(RateLimiterProperties.class))
                        .isEqualTo(new RateLimiterProperties(
                                true,
                                "token-bucket",
                                5L,
                                Duration.ofSeconds(60),
                                9L,
                                3L,
                                2,
                                null,
                                List.of("failures", "401"),
                                Map.of(),
                                "ofCustomer",
                                "header:X-User",
                                Store.IN_MEMORY,
                                FailurePolicy.CLOSED,
                                Duration.ofMillis(50),
                                30,
                                200,
                                List.of(HeaderFamily.X_RATELIMIT),
                                "25%",
                                true,
                                90,
                                true,
                                "shop",
                                List.of("10.0.0.0/8", "192.168.0.0/16"),
                                "CF-Connecting-IP",
                                List.of("principal:monitor"),
                                List.of("203.0.113.0/24", "header:x-api-key:leaked"),
                                56,
                                Map.of(
                                        "burst",
                                        new LimitProperties(
                                                "token-bucket",
                                                10L,
                                                Duration.ofSeconds(1),
                                                20L,
                                                null,
                                                null,
                                                null,
                                                5L,
                                                4,
                                                false,
                                                null,
                                                null,
                                                List.of("failures"),
                                                Map.of(),
                                                false),
                                        "login",
                                        new LimitProperties(
                                                null,
                                                5L,
                                                null,
                                                null,
                                                CalendarPeriod.Unit.MONTH,
                                                "Europe/Paris",
                                                14,
                                                null,
                                                null,
                                                null,
                                                null,
                                                new BanProperties(
                                                        5,
                                                        Duration.ofMinutes(10),
                                                        List.of(Duration.ofMinutes(1), Duration.ofHours(1))),
                                                List.of("all"),
                                                Map.of(
                                                        "gold", new PlanProperties(9L, null, false),
                                                        "staff", new PlanProperties(null, null, true)),
                                                true)),
                                Map.of(
                                        "api",
                                        new RouteProperties(
                                                List.of("/api/**"),
                                                List.of("/api/health"),
                                                List.of("GET", "POST"),
                                                List.of("burst"),
                                                List.of(),
                                                "'gold'",
                                                "ip",
                                                "header:X-Device",
                                                "2",
                                                "header:X-Tokens",
                                                List.of("401", "BadCredentialsException"),
                                                "#request.method() != 'HEAD'",
                                                List.of("2001:db8::/32"),
                                                List.of("principal:mallory"),
                                                FailurePolicy.OPEN,
                                                false,
                                                "token-bucket",
                                                100L,
                                                Duration.ofSeconds(2),
                                                200L,
                                                50L,
                                                3,
                                                false,
                                                null,
                                                null,
                                                Map.of("gold", new PlanProperties(null, 300L, false))),
                                        "org",
                                        new RouteProperties(
                                                List.of("/v2/**"),
                                                List.of(),
                                                List.of(),
                                                List.of(),
                                                List.of(
                                                        new LevelProperties(List.of("login"), "ip", "'gold'", null),
                                                        new LevelProperties(List.of("login"), "principal", null, null)),
                                                null,
                                                null,
                                                null,
                                                "1",
                                                null,
                                                null,
                                                null,
                                                List.of(),
                                                List.of(),
                                                null,
                                                true,
                                                null,
                                                null,
                                                null,
                                                null,
                                                null,
                                                null,
                                                null,
                                                null,
                                                null,
                                                Map.of())),
                                Map.of(
                                        "github",
                                        new ClientProperties(
                                                List.of("api.github.com", "*.example.com"),
                                                List.of("burst"),
                                                "'token'",
                                                List.of("x-ratelimit"),
                                                Duration.ofSeconds(5),
                                                Duration.ofMinutes(10))))));
    }

    @Test
    void bindsThePartsOfAWindow() {
        Contexts.plain()
                .withPropertyValues(
                        "rate-limiter.limits.hourly.use-algo=sliding-window-counter",
                        "rate-limiter.limits.hourly.max-requests=5",
                        "rate-limiter.limits.hourly.buckets=60",
                        "rate-limiter.routes.api.paths=/api/**",
                        "rate-limiter.routes.api.use-algo=sliding-window-counter",
                        "rate-limiter.routes.api.max-requests=5",
                        "rate-limiter.routes.api.buckets=6")
                .run(context -> {
                    RateLimiterProperties bound = context.getBean(RateLimiterProperties.class);
                    assertThat(bound.limits().get("hourly").buckets()).isEqualTo(60);
                    assertThat(bound.routes().get("api").buckets()).isEqualTo(6);
                });
    }

    @ParameterizedTest
    @CsvSource({
        "fixed-window, FIXED_WINDOW",
        "fixed-window-algo, FIXED_WINDOW",
        "sliding-window-log, SLIDING_WINDOW_LOG",
        "sliding-window-log-algo, SLIDING_WINDOW_LOG",
        "sliding-window, SLIDING_WINDOW_LOG",
        "sliding-window-algo, SLIDING_WINDOW_LOG",
        "sliding-window-counter, SLIDING_WINDOW_COUNTER",
        "sliding-window-counter-algo, SLIDING_WINDOW_COUNTER",
        "token-bucket, TOKEN_BUCKET",
        "token-bucket-algo, TOKEN_BUCKET"
    })
    void takesEverySpellingOfAnAlgorithm(String useAlgo, Algorithm algorithm) {
        Contexts.plain()
                .withPropertyValues(
                        "rate-limiter.use-algo=" + useAlgo,
                        "rate-limiter.max-requests=5",
                        "rate-limiter.limits.login.use-algo=" + useAlgo,
                        "rate-limiter.limits.login.max-requests=5")
                .run(context -> {
                    assertThat(context.getBean(Limits.class).get("default").algorithm())
                            .isEqualTo(algorithm);
                    assertThat(context.getBean(Limits.class).get("login").algorithm())
                            .isEqualTo(algorithm);
                });
    }

    @ParameterizedTest
    @CsvSource({
        "60, PT60S",
        "500ms, PT0.5S",
        "1ms, PT0.001S",
        "1m, PT1M",
        "24h, PT24H",
        "7d, P7D",
        "366d, P366D",
        "PT15M, PT15M"
    })
    void takesABareNumberOfSecondsAndEveryUnit(String windowSize, Duration window) {
        Contexts.plain()
                .withPropertyValues(
                        "rate-limiter.window-size=" + windowSize,
                        "rate-limiter.max-requests=5",
                        "rate-limiter.limits.login.window-size=" + windowSize,
                        "rate-limiter.limits.login.max-requests=5")
                .run(context -> {
                    assertThat(context.getBean(Limits.class).get("default").windowSize())
                            .isEqualTo(window);
                    assertThat(context.getBean(Limits.class).get("login").windowSize())
                            .isEqualTo(window);
                });
    }

    /** YAML writes names in brackets that are no plain words there, such as those of {@code plans: {1: {max-requests: 9}}}. */
    @ParameterizedTest
    @ValueSource(strings = {"1", "false", "pro.plus", "Gold plan!"})
    void aPlanInBracketsKeepsItsName(String plan) {
        Contexts.web()
                .withPropertyValues(
                        "rate-limiter.limits.api.max-requests=5",
                        "rate-limiter.limits.api.plans[%s].max-requests=9".formatted(plan),
                        "rate-limiter.routes.all.paths=/all",
                        "rate-limiter.routes.all.max-requests=5",
                        "rate-limiter.routes.all.plans[%s].unlimited=true".formatted(plan))
                .run(context -> {
                    RateLimiterProperties bound = context.getBean(RateLimiterProperties.class);
                    assertThat(bound.limits().get("api").plans()).containsOnlyKeys(plan);
                    assertThat(bound.routes().get("all").plans()).containsOnlyKeys(plan);
                });
    }

    @Test
    void aLimitOfNothingButMaxRequestsIsALogOfAMinute() {
        Contexts.plain()
                .withPropertyValues("rate-limiter.max-requests=5", "rate-limiter.limits.login.max-requests=7")
                .run(context -> {
                    Limits limits = context.getBean(Limits.class);
                    assertThat(limits.names()).containsExactlyInAnyOrder("default", "login");
                    assertThat(limits.get("login"))
                            .isEqualTo(Limit.of("login", Algorithm.SLIDING_WINDOW_LOG, 7, Duration.ofSeconds(60)));
                });
    }

    @Test
    void withoutMaxRequestsThereIsNoDefaultLimit() {
        Contexts.plain()
                .withPropertyValues("rate-limiter.use-algo=token-bucket", "rate-limiter.window-size=10")
                .run(context ->
                        assertThat(context.getBean(Limits.class).names()).isEmpty());
    }
}
