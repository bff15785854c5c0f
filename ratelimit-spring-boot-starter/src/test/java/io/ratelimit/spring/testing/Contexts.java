package io.ratelimit.spring.testing;

import io.ratelimit.spring.autoconfigure.ClientsRateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.DisabledRateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.MetricsRateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RateLimitedAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.ReactiveRateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RedisRateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.ServletRateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.UnservedRoutesAutoConfiguration;
import io.ratelimit.spring.autoconfigure.diagnostics.DiagnosticsAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;

/** Application contexts with the starter and what it builds on, and nothing else. */
public final class Contexts {

    private Contexts() {}

    public static ApplicationContextRunner plain() {
        return new ApplicationContextRunner().withConfiguration(starter());
    }

    /** Without a web server: for what is there, not for what it answers. */
    public static WebApplicationContextRunner web() {
        return new WebApplicationContextRunner().withConfiguration(starter());
    }

    /** A reactive web application, without a server, too. */
    public static ReactiveWebApplicationContextRunner reactive() {
        return new ReactiveWebApplicationContextRunner().withConfiguration(starter());
    }

    private static AutoConfigurations starter() {
        return AutoConfigurations.of(
                RedisAutoConfiguration.class,
                RedisRateLimiterAutoConfiguration.class,
                RateLimiterAutoConfiguration.class,
                DisabledRateLimiterAutoConfiguration.class,
                RateLimitedAutoConfiguration.class,
                ServletRateLimiterAutoConfiguration.class,
                MetricsRateLimiterAutoConfiguration.class,
                ReactiveRateLimiterAutoConfiguration.class,
                ClientsRateLimiterAutoConfiguration.class,
                UnservedRoutesAutoConfiguration.class,
                DiagnosticsAutoConfiguration.class);
    }
}
