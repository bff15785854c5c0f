package io.ratelimit.compatibility;

import static io.ratelimit.compatibility.Part.REDIS;
import static io.ratelimit.compatibility.Part.SERVLET;

import io.ratelimit.compatibility.hello.HelloApplication;
import io.ratelimit.testing.TestRedis;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How much later an application starts with the starter: medians of runs in turn. Run by the script start-up. */
class StartUpCost {

    private static final int RUNS = 7;

    @SuppressWarnings("ImmutableEnumChecker") // nothing changes them
    private enum Variant {
        WITHOUT(false, Set.of(SERVLET)),
        DISABLED(true, Set.of(SERVLET), "rate-limiter.enabled=false"),
        IN_MEMORY(true, Set.of(SERVLET)),
        REDIS_WITHOUT(false, Set.of(SERVLET, REDIS), "spring.data.redis.url=" + TestRedis.uri()),
        REDIS_WITH(true, Set.of(SERVLET, REDIS), "spring.data.redis.url=" + TestRedis.uri());

        private final boolean starter;
        private final Set<Part> parts;
        private final String[] properties;

        Variant(boolean starter, Set<Part> parts, String... properties) {
            this.starter = starter;
            this.parts = parts;
            this.properties = properties;
        }

        double seconds(List<String> options) {
            List<String> all = new ArrayList<>(List.of(properties));
            all.addAll(List.of(
                    "rate-limiter.max-requests=5",
                    "rate-limiter.routes.api.paths=/api/**",
                    "rate-limiter.routes.api.limits=default"));
            String classPath = Part.classPathOfHello(parts, starter);
            try (Application application =
                    Application.startPlainly(HelloApplication.class, classPath, options, all.toArray(String[]::new))) {
                return application.secondsToStart();
            }
        }
    }

    /** With both compilers of the JVM, which keep a core of their own busy all the while, and with the quick one alone. */
    @ParameterizedTest
    @ValueSource(strings = {"-XX:+TieredCompilation", "-XX:TieredStopAtLevel=1"})
    void measure(String option) {
        Map<Variant, List<Double>> seconds = new EnumMap<>(Variant.class);
        for (int run = 0; run < RUNS; run++) {
            for (Variant variant : Variant.values()) {
                seconds.computeIfAbsent(variant, first -> new ArrayList<>()).add(variant.seconds(List.of(option)));
            }
        }
        System.out.printf("| `%s` | start | later |%n|---|---|---|%n", option);
        report("without the starter", seconds, Variant.WITHOUT, Variant.WITHOUT);
        report("disabled", seconds, Variant.DISABLED, Variant.WITHOUT);
        report("in memory", seconds, Variant.IN_MEMORY, Variant.WITHOUT);
        report("Spring Data Redis, without the starter", seconds, Variant.REDIS_WITHOUT, Variant.REDIS_WITHOUT);
        report("Spring Data Redis, with it", seconds, Variant.REDIS_WITH, Variant.REDIS_WITHOUT);
    }

    private static void report(String title, Map<Variant, List<Double>> seconds, Variant variant, Variant base) {
        double median = median(seconds.get(variant));
        System.out.printf(
                Locale.ROOT, "| %s | %.2f s | %+.2f s |%n", title, median, median - median(seconds.get(base)));
    }

    private static double median(List<Double> values) {
        Collections.sort(values);
        return values.get(values.size() / 2);
    }
}
