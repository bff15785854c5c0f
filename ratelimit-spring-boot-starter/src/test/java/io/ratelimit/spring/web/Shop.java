package io.ratelimit.spring.web;

import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** One application of each kind for all HTTP tests that need nothing special; they end with the tests. */
public final class Shop {

    private static final Map<Stack, TestApp> APPS = new EnumMap<>(Stack.class);

    private Shop() {}

    /** The application; started when it is first asked for. */
    public static synchronized TestApp on(Stack stack) {
        return APPS.computeIfAbsent(stack, Shop::start);
    }

    private static TestApp start(Stack stack) {
        TestApp app = TestApp.start(
                stack,
                List.of(
                        AtSettableTime.class,
                        ShopController.class,
                        ShopController.CatchAll.class,
                        ShopController.WithOwnAnswer.class),
                "spring.mvc.problemdetails.enabled=true",
                "rate-limiter.limits.burst.use-algo=token-bucket",
                "rate-limiter.limits.burst.max-requests=10",
                "rate-limiter.limits.burst.window-size=1s",
                "rate-limiter.limits.burst.burst=20",
                "rate-limiter.limits.hourly.use-algo=sliding-window-counter",
                "rate-limiter.limits.hourly.max-requests=1000",
                "rate-limiter.limits.hourly.window-size=1h",
                "rate-limiter.routes.plain.paths=/plain/**",
                "rate-limiter.routes.plain.max-requests=5",
                "rate-limiter.routes.plain.window-size=60",
                "rate-limiter.routes.plain.key=header:X-User",
                "rate-limiter.routes.api.paths=/api/**",
                "rate-limiter.routes.api.limits=burst,hourly",
                "rate-limiter.routes.api.key=header:X-User",
                "rate-limiter.routes.wide.paths=/two/**",
                "rate-limiter.routes.wide.max-requests=3",
                "rate-limiter.routes.wide.key=header:X-User",
                "rate-limiter.routes.narrow.paths=/two/narrow",
                "rate-limiter.routes.narrow.max-requests=1",
                "rate-limiter.routes.narrow.key=header:X-User",
                "rate-limiter.routes.get-only.paths=/get-only",
                "rate-limiter.routes.get-only.methods=get",
                "rate-limiter.routes.get-only.max-requests=1",
                "rate-limiter.routes.get-only.key=header:X-User",
                "rate-limiter.routes.by-ip.paths=/by-ip",
                "rate-limiter.routes.by-ip.max-requests=1",
                "rate-limiter.routes.by-ip.key=ip",
                "rate-limiter.routes.cors.paths=/cors",
                "rate-limiter.routes.cors.max-requests=1",
                "rate-limiter.routes.cors.key=header:X-User",
                "rate-limiter.routes.dispatch.paths=/dispatch/**,/error",
                "rate-limiter.routes.dispatch.max-requests=9",
                "rate-limiter.routes.dispatch.key=header:X-User");
        Runtime.getRuntime().addShutdownHook(new Thread(app::close));
        return app;
    }
}
