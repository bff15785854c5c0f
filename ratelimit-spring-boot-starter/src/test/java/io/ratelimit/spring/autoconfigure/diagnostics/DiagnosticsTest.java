package io.ratelimit.spring.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.autoconfigure.diagnostics.Diagnostics.Diagnosis;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.LooksUpLimits;
import io.ratelimit.spring.testing.Patience;
import io.ratelimit.testing.PendingRateLimiter;
import io.ratelimit.testing.TestRedis;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.StringUtils;

/** What is valid, but surely a mistake: each is warned of once, and what is sound is not. */
@ExtendWith(OutputCaptureExtension.class)
class DiagnosticsTest {

    /** Wherever the tests run themselves. */
    private final WebApplicationContextRunner contexts =
            Contexts.web().withBean(LooksUpLimits.class).withPropertyValues("spring.main.cloud-platform=none");

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0/0", "::/0", "10.0.0.0/0", "10.0.0.0/8,203.0.113.7/00"})
    void warnsOfAProxyThatIsEverybody(String networks) {
        assertThat(warnings("rate-limiter.trusted-proxies=" + networks))
                .singleElement()
                .asString()
                .contains("rate-limiter.trusted-proxies", "/0", "trusts everybody", "your own proxies")
                .doesNotContain("10.0.0.0/8");
    }

    @Test
    void namesAllThatAreEverybodyInOneWarning() {
        assertThat(warnings("rate-limiter.trusted-proxies=0.0.0.0/0,::/0"))
                .singleElement()
                .asString()
                .contains("'0.0.0.0/0, ::/0'");
    }

    @Test
    void warnsOfPlansThatNothingNames() {
        String[] plans = {
            "rate-limiter.limits.api.max-requests=5",
            "rate-limiter.limits.api.plans.gold.max-requests=9",
            "rate-limiter.routes.api.paths=/api/**",
            "rate-limiter.routes.api.limits=api",
            "rate-limiter.routes.api.key=ip"
        };
        assertThat(warnings(plans))
                .singleElement()
                .asString()
                .contains("rate-limiter.limits.api.plans defines plans that nothing names");
        assertThat(warnings(StringUtils.addStringToArray(plans, "rate-limiter.routes.api.plan='gold'")))
                .isEmpty();
        assertThat(warnings(StringUtils.addStringToArray(plans, "rate-limiter.plan='gold'")))
                .isEmpty();
    }

    @Test
    void warnsOfPlansOfARouteAndOfTheDefaultThatNothingNames() {
        String[] plans = {
            "rate-limiter.max-requests=100",
            "rate-limiter.plans.gold.max-requests=1000",
            "rate-limiter.routes.api.paths=/api/**",
            "rate-limiter.routes.api.max-requests=5",
            "rate-limiter.routes.api.plans.gold.max-requests=9",
            "rate-limiter.routes.all.paths=/all/**",
            "rate-limiter.routes.all.limits=default"
        };
        assertThat(warnings(plans))
                .anyMatch(text -> text.contains("rate-limiter.plans defines plans that nothing names"))
                .anyMatch(text -> text.contains("rate-limiter.routes.api.plans defines plans that nothing names"));
        assertThat(warnings(StringUtils.addStringToArray(plans, "rate-limiter.plan='gold'")))
                .noneMatch(text -> text.contains("nothing names"));
    }

    @Test
    void believesThatNetworksAreProxies() {
        assertThat(warnings("rate-limiter.trusted-proxies=10.0.0.0/8,192.168.0.0/10,fd00::/8,203.0.113.7"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"framework", "FRAMEWORK"})
    void warnsOfAHeaderThatAnyClientWrites(String strategy) {
        assertThat(warnings("server.forward-headers-strategy=" + strategy, "rate-limiter.max-requests=5"))
                .singleElement()
                .asString()
                .contains("server.forward-headers-strategy 'framework'", "X-Forwarded-For", "Set it to none");
    }

    @Test
    void warnsOfNothingWhereNothingIsLimited() {
        assertThat(warnings("server.forward-headers-strategy=framework")).isEmpty();
    }

    /** The server of these tests reads the header from the right. */
    @ParameterizedTest
    @ValueSource(strings = {"native", "none"})
    void believesThatTomcatSkipsOnlyProxies(String strategy) {
        assertThat(warnings("server.forward-headers-strategy=" + strategy, "rate-limiter.max-requests=5"))
                .isEmpty();
    }

    @Test
    void warnsOfAWindowThatTheHeadersCannotTell() {
        assertThat(warnings(
                        "rate-limiter.max-requests=5",
                        "rate-limiter.window-size=999ms",
                        "rate-limiter.limits.burst.max-requests=5",
                        "rate-limiter.limits.burst.window-size=500ms",
                        "rate-limiter.limits.hourly.max-requests=5",
                        "rate-limiter.routes.api.paths=/api",
                        "rate-limiter.routes.api.max-requests=5",
                        "rate-limiter.routes.api.window-size=100ms"))
                .singleElement()
                .asString()
                .contains(
                        "rate-limiter.window-size '999ms', rate-limiter.limits.burst.window-size '500ms',"
                                + " rate-limiter.routes.api.window-size '100ms'",
                        "rate-limiter.headers",
                        "whole seconds")
                .doesNotContain("hourly");
    }

    @Test
    void namesTheTimeToRefillABurstAndNotTheWindow() {
        assertThat(warnings(
                        "rate-limiter.limits.a.use-algo=token-bucket",
                        "rate-limiter.limits.a.max-requests=100",
                        "rate-limiter.limits.a.window-size=1s",
                        "rate-limiter.limits.a.burst=50"))
                .singleElement()
                .asString()
                .contains("the time '500ms' to refill rate-limiter.limits.a.burst '50' is below 1s")
                .doesNotContain("window-size");
    }

    @Test
    void leavesShortWindowsAloneThatNoHeaderTellsOrThatABucketMakesLong() {
        assertThat(warnings(
                        "rate-limiter.limits.burst.max-requests=5",
                        "rate-limiter.limits.burst.window-size=500ms",
                        "rate-limiter.headers=x-ratelimit"))
                .isEmpty();
        assertThat(warnings(
                        "rate-limiter.limits.burst.use-algo=token-bucket",
                        "rate-limiter.limits.burst.max-requests=1",
                        "rate-limiter.limits.burst.window-size=100ms",
                        "rate-limiter.limits.burst.burst=20"))
                .isEmpty();
        assertThat(warnings("rate-limiter.max-requests=5", "rate-limiter.window-size=1s"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"server.servlet.context-path", "spring.mvc.servlet.path", "spring.webflux.base-path"})
    void warnsOfAPathThatRepeatsTheContextPath(String property) {
        assertThat(warnings(
                        property + "=/shop/",
                        "rate-limiter.routes.api.paths=/shop/api/**,/shop,/shopping/**,/api/shop/**",
                        "rate-limiter.routes.api.max-requests=5"))
                .hasSize(2)
                .allSatisfy(warning -> assertThat(warning)
                        .contains("rate-limiter.routes.api.paths '/shop", property + " '/shop'", "limits nothing"));
        assertThat(warnings(
                        property + "=/", "rate-limiter.routes.api.paths=/**", "rate-limiter.routes.api.max-requests=5"))
                .isEmpty();
    }

    @Test
    void warnsOfAPathThatTheManagementPortServes() {
        String[] route = {
            "rate-limiter.routes.health.paths=/actuator/health", "rate-limiter.routes.health.max-requests=5"
        };
        assertThat(warnings(route[0], route[1], "management.server.port=9001"))
                .singleElement()
                .asString()
                .contains("rate-limiter.routes.health.paths '/actuator/health'", "management.server.port '9001'");
        assertThat(warnings(route[0], route[1])).isEmpty();
        assertThat(warnings(route[0], route[1], "management.server.port=9001", "management.endpoints.web.base-path=/m"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring.data.redis.host=redis", "spring.data.redis.cluster.nodes[0]=redis:6379"})
    void warnsOfCountsInMemoryBesideARedis(String property) {
        assertThat(warnings("rate-limiter.store=in-memory", property))
                .singleElement()
                .asString()
                .contains("rate-limiter.store 'in-memory'", "spring.data.redis.", "is set", "every instance")
                .doesNotContain("redis:6379");
    }

    @Test
    void warnsOfARedisThatIsNotNamedByWhereItIs() {
        assertThat(warnings("spring.data.redis.password=secret", "rate-limiter.report-only=true"))
                .singleElement()
                .asString()
                .contains("rate-limiter.store 'auto'", "spring.data.redis.password is set", "spring.data.redis.host")
                .doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(strings = {"kubernetes", "cloud_foundry"})
    void warnsOfCountsInMemoryOnAPlatformOfManyInstances(String platform) {
        assertThat(warnings(
                        "spring.main.cloud-platform=" + platform,
                        "spring.data.redis.username=me",
                        "rate-limiter.report-only=true"))
                .singleElement()
                .asString()
                .containsPattern("the application runs on (Kubernetes|Cloud Foundry) and spring.data.redis.username");
    }

    @Test
    void aLimitOfElementsIsNoReasonToThinkThatRedisIsSilent() {
        await().until(() -> {
            try (LogCapture log = LogCapture.start()) {
                contexts.withPropertyValues(
                                "spring.data.redis.url=" + TestRedis.uri(),
                                "rate-limiter.routes.sync.paths=/sync",
                                "rate-limiter.routes.sync.limits=devices",
                                "rate-limiter.routes.sync.element=header:X-Device",
                                "rate-limiter.limits.devices.use-algo=unique-count",
                                "rate-limiter.limits.devices.max-requests=5")
                        .run(context -> await().until(() -> !Patience.isConnecting()));
                if (Patience.wasHeldUp(log)) {
                    return false;
                }
                assertThat(log.text()).doesNotContain("checking Redis failed");
                assertThat(log.messages(Level.WARN)).allMatch(warning -> warning.startsWith("RL-553"));
                return true;
            }
        });
    }

    /** On a busy machine connecting may take more than two seconds, which is another matter. */
    @Test
    void findsNothingWrongWithCountsInRedisOrInOneProcess() {
        assertThat(warnings("spring.main.cloud-platform=kubernetes", "spring.data.redis.url=" + TestRedis.uri()))
                .allMatch(warning -> warning.startsWith("RL-553"));
        assertThat(warnings("rate-limiter.store=in-memory", "spring.data.redis.repositories.enabled=false"))
                .isEmpty();
    }

    @Test
    void saysNothingOfALimiterThatItDoesNotKnow() {
        try (LogCapture log = LogCapture.start()) {
            contexts.withPropertyValues("spring.main.cloud-platform=kubernetes")
                    .withBean(RateLimiter.class, () -> new PendingRateLimiter())
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.messages(Level.WARN)).isEmpty();
        }
    }

    @Test
    void warnsOfEnvironmentVariablesThatMayNotBeRead() {
        assertThat(warningsOfVariables("RATE_LIMITER_LIMITS_LOGIN_MAXREQUESTS"))
                .singleElement()
                .asString()
                .contains("RATE_LIMITER_LIMITS_LOGIN_MAXREQUESTS", "write RATELIMITER_LIMITS_LOGIN_MAXREQUESTS");
        assertThat(warningsOfVariables("RATE_LIMITER_LIMITS_LOGIN_WINDOW_SIZE"))
                .singleElement()
                .asString()
                .contains("read for some properties only", "write RATELIMITER_LIMITS_LOGIN_WINDOWSIZE");
    }

    /** Services named {@code rate-limiter} and {@code rate-limiter-redis}. */
    @Test
    void saysNothingOfVariablesThatKubernetesAddsForAService() {
        assertThat(warningsOfVariables(
                        "RATE_LIMITER_SERVICE_HOST",
                        "RATE_LIMITER_SERVICE_PORT",
                        "RATE_LIMITER_SERVICE_PORT_HTTP",
                        "RATE_LIMITER_PORT",
                        "RATE_LIMITER_PORT_80_TCP",
                        "RATE_LIMITER_PORT_80_TCP_PROTO",
                        "RATE_LIMITER_PORT_80_TCP_PORT",
                        "RATE_LIMITER_PORT_80_TCP_ADDR",
                        "RATE_LIMITER_REDIS_SERVICE_HOST",
                        "RATE_LIMITER_REDIS_PORT_53_UDP_ADDR"))
                .isEmpty();
        assertThat(warningsOfVariables("RATE_LIMITER_PORT_80_TCP", "RATE_LIMITER_LIMITS_PORT_MAXREQUESTS"))
                .singleElement()
                .asString()
                .contains("RATE_LIMITER_LIMITS_PORT_MAXREQUESTS");
    }

    private List<String> warningsOfVariables(String... names) {
        return warningsWith(variables(Stream.of(names).collect(Collectors.toMap(name -> name, name -> "5"))));
    }

    private static ApplicationContextInitializer<ConfigurableApplicationContext> variables(
            Map<String, Object> variables) {
        return context -> context.getEnvironment()
                .getPropertySources()
                .replace("systemEnvironment", new SystemEnvironmentPropertySource("systemEnvironment", variables));
    }

    @Test
    void warnsOfALimitOrRouteThatAnEnvironmentVariableAddsBesideTheOneItMeans() {
        assertThat(warningsWith(
                        variables(Map.of("RATELIMITER_LIMITS_EF_MAXREQUESTS", "9")),
                        "rate-limiter.limits.e-f.max-requests=5"))
                .singleElement()
                .asString()
                .contains("the limits 'e-f' and 'ef'", "RATELIMITER_LIMITS_EF_");
        assertThat(warningsWith(
                        variables(Map.of("RATELIMITER_ROUTES_EF_COST", "2")),
                        "rate-limiter.limits.l.max-requests=5",
                        "rate-limiter.routes.e-f.limits=l",
                        "rate-limiter.routes.e-f.paths=/a"))
                .anySatisfy(warning -> assertThat(warning).contains("the routes ", "'e-f'", "RATELIMITER_ROUTES_EF_"));
    }

    private List<String> warningsWith(
            ApplicationContextInitializer<ConfigurableApplicationContext> environment, String... properties) {
        try (LogCapture log = LogCapture.start()) {
            contexts.withInitializer(environment)
                    .withPropertyValues(properties)
                    .run(context -> assertThat(context).hasNotFailed());
            return log.messages(Level.WARN);
        }
    }

    @Test
    void isSeenOnTheConsole(CapturedOutput output) {
        contexts.withPropertyValues("rate-limiter.trusted-proxies=::/0")
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output.getAll().lines().filter(line -> line.contains("rate-limiter.trusted-proxies")))
                .singleElement()
                .asString()
                .contains("WARN");
    }

    @Test
    void aDiagnosisThatFailsStopsNothing() {
        Diagnosis failing = new Diagnosis(MessageCode.LIMIT_UNUSED, () -> {
            throw new IllegalStateException("cannot tell");
        });
        try (LogCapture log = LogCapture.start()) {
            contexts.withBean("failing", Diagnosis.class, () -> failing)
                    .withPropertyValues("rate-limiter.trusted-proxies=::/0")
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.messages(Level.WARN)).hasSize(1);
        }
    }

    @Test
    void saysNothingWhereNothingIsLimited() {
        assertThat(warnings("rate-limiter.enabled=false", "rate-limiter.trusted-proxies=::/0"))
                .isEmpty();
    }

    private List<String> warnings(String... properties) {
        try (LogCapture log = LogCapture.start()) {
            contexts.withPropertyValues(properties)
                    .run(context -> assertThat(context).hasNotFailed());
            return log.messages(Level.WARN);
        }
    }
}
