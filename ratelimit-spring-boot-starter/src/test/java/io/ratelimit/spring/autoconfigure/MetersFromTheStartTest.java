package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.spring.internal.operate.RateLimiterMetrics;
import io.ratelimit.spring.testing.Contexts;
import org.junit.jupiter.api.Test;

/** The counters of configured limits begin at 0, so that the first refusal is a rise. */
class MetersFromTheStartTest {

    @Test
    void theCountersOfConfiguredLimitsExistBeforeTheFirstCall() {
        Contexts.web()
                .withBean(SimpleMeterRegistry.class)
                .withPropertyValues(
                        "rate-limiter.limits.login.max-requests=5",
                        "rate-limiter.limits.login.ban.after=3",
                        "rate-limiter.limits.login.ban.within=10m",
                        "rate-limiter.limits.login.ban.for=1m",
                        "rate-limiter.routes.api.paths=/api",
                        "rate-limiter.routes.api.limits=login",
                        "rate-limiter.routes.api.max-requests=5")
                .run(context -> {
                    SimpleMeterRegistry registry = context.getBean(SimpleMeterRegistry.class);
                    context.getBean(RateLimiterMetrics.class).bindTo(registry);

                    assertThat(registry.find("rate.limiter.decisions").counters())
                            .allMatch(counter -> counter.count() == 0)
                            .extracting(MetersFromTheStartTest::decision)
                            .containsExactlyInAnyOrder(
                                    "login allowed store",
                                    "login refused store",
                                    "api allowed store",
                                    "api refused store");
                    assertThat(registry.find("rate.limiter.near.limit").counters())
                            .hasSize(2);
                    assertThat(registry.find("rate.limiter.banned").counters())
                            .singleElement()
                            .satisfies(counter ->
                                    assertThat(counter.getId().getTag("limit")).isEqualTo("login"));
                });
    }

    private static String decision(Counter counter) {
        return "%s %s %s"
                .formatted(
                        counter.getId().getTag("limit"),
                        counter.getId().getTag("outcome"),
                        counter.getId().getTag("source"));
    }
}
