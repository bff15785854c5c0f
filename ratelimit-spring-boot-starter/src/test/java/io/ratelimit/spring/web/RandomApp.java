package io.ratelimit.spring.web;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.testing.SeededRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Random properties of an application: its limits, its routes, and the annotations of {@link RandomCalls}. */
final class RandomApp {

    private static final String[] TIMED = {
        "fixed-window", "sliding-window-log", "sliding-window-counter", "token-bucket", "token-bucket"
    };

    private final SeededRandom random;

    /** One for all routes: an application does not start whose routes count different elements in one limit. */
    private final String element;

    private final List<String> properties = new ArrayList<>();
    private final List<String> limits = new ArrayList<>(List.of("default"));
    private final Set<String> ofElements = new HashSet<>();
    private final Set<String> ofCosts = new HashSet<>(Set.of("default"));

    private RandomApp(SeededRandom random) {
        this.random = random;
        this.element = random.oneOf("header:X-Device", "#request.header('X-Device')");
    }

    static List<String> properties(SeededRandom random, Stack stack) {
        RandomApp app = new RandomApp(random);
        app.addSometimes(3, stack.basePath(), "/shop");
        app.addSometimes(2, "rate-limiter.trusted-proxies", "127.0.0.0/8", "192.0.2.0/24");
        app.add("rate-limiter.max-requests", app.number(2, 6));
        app.add("rate-limiter.key", app.key());
        app.add("rate-limiter.report-only", random.oneIn(8));
        app.add("rate-limiter.on-store-failure", app.policy());
        long limits = random.between(1, 4);
        for (long i = limits; i > 0; i--) {
            app.addLimit("l" + i);
        }
        long routes = random.between(0, 4);
        for (long i = routes; i > 0; i--) {
            app.addRoute("rate-limiter.routes.r" + i + ".");
        }
        app.addAnnotation("one.");
        app.addAnnotation("two.");
        app.addInlineLimit("own.");
        app.addInlineLimit("named.");
        for (long i = limits; i > 0; i--) {
            app.add("rate-limiter.limits.l" + i + ".report-only", random.oneIn(6));
        }
        for (long i = routes; i > 0; i--) {
            app.add("rate-limiter.routes.r" + i + ".report-only", random.oneIn(8));
        }
        return app.properties;
    }

    private void addLimit(String name) {
        String prefix = "rate-limiter.limits." + name + ".";
        String algorithm = random.oneIn(3) ? random.oneOf("unique-count", "concurrency") : random.oneOf(TIMED);
        add(prefix + "use-algo", algorithm);
        add(prefix + "max-requests", number(2, 6));
        add(prefix + "window-size", random.oneOf("10s", "1m", "1500ms"));
        if (algorithm.equals("token-bucket") && random.oneIn(2)) {
            add(prefix + "burst", number(2, 8));
        }
        if (algorithm.equals("unique-count")) {
            ofElements.add(name);
        } else if (!algorithm.equals("concurrency")) {
            ofCosts.add(name);
            addBan(prefix);
        }
        if (algorithm.equals("fixed-window") && random.oneIn(2)) {
            add(prefix + "count", random.oneOf("failures", "401,500"));
        }
        limits.add(name);
    }

    private void addBan(String prefix) {
        if (random.oneIn(3)) {
            add(prefix + "ban.after", number(1, 3));
            add(prefix + "ban.within", "5m");
            add(prefix + "ban.for", "30s,2m");
        }
    }

    private void addRoute(String prefix) {
        add(
                prefix + "paths",
                random.oneOf("/two/a", "/two/b,/two/c", "/two/**", "/**", "/two/d/{id}", "/two/{x}", "/two/d/*"));
        addSometimes(3, prefix + "methods", "GET", "POST", "GET,POST");
        Set<String> named = new LinkedHashSet<>();
        named.add(limit());
        if (random.oneIn(3)) {
            named.add(limit());
        }
        boolean elements = named.stream().anyMatch(ofElements::contains);
        if (random.oneIn(4)) {
            String algorithm = random.oneOf("fixed-window", "token-bucket", "concurrency", "unique-count");
            add(prefix + "use-algo", algorithm);
            add(prefix + "max-requests", number(2, 4));
            elements |= algorithm.equals("unique-count");
        }
        add(prefix + "limits", String.join(",", named));
        addSometimes(2, prefix + "key", key());
        if (elements) {
            add(prefix + "element", element);
        } else {
            addSometimes(3, prefix + "cost", "1", "2");
        }
        if (named.stream().anyMatch(ofCosts::contains)) {
            addSometimes(4, prefix + "count", "failures", "401,404");
            addSometimes(6, prefix + "actual-cost", "header:X-Used", "#request.param('n')");
        }
        addSometimes(
                3,
                prefix + "condition",
                "#request.header('X-Skip') != 'yes'",
                "#request.param('u').length() > 1",
                "#principal != null");
        addSometimes(3, prefix + "on-store-failure", policy());
    }

    private void addAnnotation(String prefix) {
        String limit = limit();
        boolean elements = ofElements.contains(limit);
        add(prefix + "value", limit);
        add(prefix + "element", elements ? "header:X-Device" : "");
        add(prefix + "count", ofCosts.contains(limit) ? random.oneOf("", "", "failures") : "");
        add(prefix + "cost", elements ? "" : random.oneOf("", "", "#request.param('u').length()", "#ends.length()"));
        addOfMethod(prefix);
    }

    private void addInlineLimit(String prefix) {
        add(prefix + "algorithm", random.oneOf("fixed-window", "token-bucket", "concurrency"));
        add(prefix + "max", number(1, 4));
        add(prefix + "cost", random.oneOf("", "1", "T(Integer).parseInt(#request.param('n'))"));
        addOfMethod(prefix);
    }

    private void addOfMethod(String prefix) {
        add(prefix + "key", random.oneIn(3) ? "" : random.oneIn(8) ? "#ends" : key());
        add(
                prefix + "condition",
                random.oneOf("", "", "#request.header('X-Skip') != 'yes'", "#principal == null", "#ends == null"));
        add(prefix + "policy", random.oneOf("", "open", "closed", "local"));
        add(prefix + "fallback", random.oneIn(4) ? "instead" : "");
    }

    private String limit() {
        return limits.get((int) random.between(0, limits.size() - 1));
    }

    private String key() {
        return random.oneOf(
                "ip",
                "global",
                "principal",
                "caller",
                "header:X-User",
                "header:X-User",
                "cookie:sid",
                "param:u",
                "#request.header('X-User')",
                "#request.path()",
                "#request.param('u').toLowerCase()",
                "#principal?.name",
                "byUser",
                "byPrincipal");
    }

    private String policy() {
        return random.oneOf("open", "closed", "local");
    }

    private String number(long least, long most) {
        return String.valueOf(random.between(least, most));
    }

    private void addSometimes(int oneIn, String name, String... values) {
        if (random.oneIn(oneIn)) {
            add(name, random.oneOf(values));
        }
    }

    private void add(String name, Object value) {
        properties.add(name + "=" + value);
    }
}
