package io.ratelimit.spring.hostile;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.TestRedis;
import java.util.ArrayList;
import java.util.List;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The application under attack: a route or annotation for every kind of key, each with a limit of its own. */
@RestController
class Target {

    /** What each limit admits: more than the victim needs, less than an attacker who stays with one subject. */
    static final int QUOTA = 60;

    static final String OK = "ok";

    private static final List<String> PROPERTIES = List.of(
            "server.max-http-request-header-size=1200KB",
            "rate-limiter.timeout=20s",
            "rate-limiter.on-store-failure=closed",
            "rate-limiter.limits.called.max-requests=" + QUOTA,
            "rate-limiter.limits.called.window-size=366d",
            "rate-limiter.limits.priced.max-requests=" + QUOTA,
            "rate-limiter.limits.priced.window-size=366d");

    @RequestMapping({"/header/**", "/param/**", "/cookie/**", "/ip/**", "/spel/**"})
    String byRoute() {
        return OK;
    }

    @RateLimited(value = "called", key = "#user")
    @RequestMapping("/called/**")
    String byArgument(@RequestParam(required = false) String user) {
        return OK;
    }

    @RateLimited(
            value = "priced",
            key = "#request.header('X-User').substring(1)",
            cost = "T(Integer).parseInt(#request.header('X-Cost'))",
            condition = "#request.header('X-Plan').length() >= 0")
    @RequestMapping("/priced/**")
    String byExpressions() {
        return OK;
    }

    /** On the shared Redis; headers that forward addresses are believed from the trusted proxies only. */
    static TestApp start(String keyPrefix, String trustedProxies) {
        List<String> properties = new ArrayList<>(PROPERTIES);
        properties.add("spring.data.redis.url=" + TestRedis.uri());
        properties.add("rate-limiter.key-prefix=" + keyPrefix);
        properties.add("rate-limiter.trusted-proxies=" + trustedProxies);
        route(properties, "header", "fixed-window", "header:X-User");
        route(properties, "param", "sliding-window-log", "param:user");
        route(properties, "cookie", "sliding-window-counter", "cookie:user");
        route(properties, "ip", "token-bucket", "ip");
        route(properties, "spel", "fixed-window", "#request.header('X-User').substring(1)");
        return TestApp.start(List.of(Target.class, SeenSubjects.class), properties.toArray(String[]::new))
                .onRedis();
    }

    private static void route(List<String> properties, String name, String algorithm, String key) {
        String route = "rate-limiter.routes." + name;
        properties.add(route + ".paths=/" + name + "/**");
        properties.add(route + ".use-algo=" + algorithm);
        properties.add(route + ".max-requests=" + QUOTA);
        properties.add(route + ".window-size=366d");
        properties.add(route + ".key=" + key);
    }
}
