package io.ratelimit.spring.web;

import static org.awaitility.Awaitility.await;

import io.ratelimit.spring.RateLimitOverrideEvent;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.internal.live.LimitOverride;
import io.ratelimit.spring.internal.live.Overrides;
import io.ratelimit.spring.testing.LimitsEndpoint;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** An instance of an application whose limits are overridden. */
record OverriddenApp(TestApp app) implements AutoCloseable {

    @RestController
    static class Calls {
        @GetMapping({"/api/x", "/bucket"})
        String call() {
            return "ok";
        }

        @RateLimited(maxRequests = "6", windowSize = "1d", cost = "3")
        @GetMapping("/annotated")
        Mono<String> annotated() {
            return Mono.just("ok");
        }
    }

    static class Heard {
        final List<String> changes = new CopyOnWriteArrayList<>();

        @EventListener
        void on(RateLimitOverrideEvent change) {
            changes.add(change.limit() + " "
                    + (change.maxRequests().isPresent() ? change.maxRequests().getAsLong() : "own"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Changes {
        @Bean
        Heard heard() {
            return new Heard();
        }
    }

    static OverriddenApp inMemory(Stack stack, String access) {
        return new OverriddenApp(start(stack, "rate-limiter.store=in-memory", "", access));
    }

    static OverriddenApp onRedis(Stack stack, String uri, String prefix, String access) {
        return new OverriddenApp(
                start(stack, "spring.data.redis.url=" + uri, prefix, access).onRedis());
    }

    private static TestApp start(Stack stack, String store, String prefix, String access) {
        return TestApp.start(
                stack,
                List.of(Calls.class, Changes.class),
                store,
                LimitsEndpoint.EXPOSED,
                "management.endpoint.ratelimits.access=" + access,
                "rate-limiter.key-prefix=rate_limit" + prefix,
                "rate-limiter.key=header:X-User",
                "rate-limiter.plan=#request.header('X-Plan')",
                "rate-limiter.limits.api.max-requests=5",
                "rate-limiter.limits.api.window-size=1d",
                "rate-limiter.limits.api.plans.gold.max-requests=9",
                "rate-limiter.limits.api.plans.own.max-requests=5",
                "rate-limiter.limits.api.plans.staff.unlimited=true",
                "rate-limiter.routes.api.paths=/api/**",
                "rate-limiter.routes.api.limits=api",
                "rate-limiter.routes.bucket.paths=/bucket",
                "rate-limiter.routes.bucket.use-algo=token-bucket",
                "rate-limiter.routes.bucket.max-requests=10",
                "rate-limiter.routes.bucket.window-size=1d",
                "rate-limiter.routes.bucket.burst=20",
                "rate-limiter.limits.large.use-algo=token-bucket",
                "rate-limiter.limits.large.max-requests=10000",
                "rate-limiter.limits.large.window-size=1d",
                "rate-limiter.limits.large.burst=100000");
    }

    Answer get(String path, String user, String... headers) {
        return app.get(
                path,
                Stream.of(new String[] {"X-User", user}, headers)
                        .flatMap(Stream::of)
                        .toArray(String[]::new));
    }

    Answer override(String limit, String body) {
        return LimitsEndpoint.override(app, limit, body);
    }

    Answer lift(String limit) {
        return app.send("DELETE", "/actuator/ratelimits/limits/" + limit);
    }

    /** Waits until it follows; null for the limit's own numbers. */
    void awaitOverride(String limit, Long maxRequests) {
        await().until(() -> Objects.equals(
                app.bean(Overrides.class)
                        .of(limit)
                        .map(LimitOverride::maxRequests)
                        .orElse(null),
                maxRequests));
    }

    @Override
    public void close() {
        app.close();
    }
}
