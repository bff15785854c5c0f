package io.ratelimit.compatibility;

import static io.ratelimit.compatibility.Part.REDIS;
import static io.ratelimit.compatibility.Part.SERVLET;

import io.ratelimit.compatibility.hello.HelloApplication;
import io.ratelimit.testing.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How much later an application starts with the starter: medians of runs in turn. Run by the script start-up. One after the
 * other, because an application that starts beside another takes twice the time.
 */
@Execution(ExecutionMode.SAME_THREAD)
class StartUpCost {

    private static final int RUNS = 5;

    private static final String AT_REDIS = "spring.data.redis.url=" + TestRedis.uri();

    private static final String[] ROUTE = {
        "rate-limiter.routes.api.paths=/api/**", "rate-limiter.routes.api.max-requests=5"
    };

    @SuppressWarnings("ImmutableEnumChecker") // nothing changes them
    private enum Variant {
        WITHOUT("without the starter", false, Set.of(SERVLET)),
        DISABLED("disabled", true, Set.of(SERVLET), "rate-limiter.enabled=false"),
        NOTHING("nothing configured", true, Set.of(SERVLET)),
        IN_MEMORY("a route in memory", true, Set.of(SERVLET), ROUTE),
        REDIS_WITHOUT("Spring Data Redis, without the starter", false, Set.of(SERVLET, REDIS), AT_REDIS),
        REDIS_NOTHING("Spring Data Redis, nothing configured", true, Set.of(SERVLET, REDIS), AT_REDIS),
        REDIS_IN_MEMORY(
                "Spring Data Redis, a route in memory",
                true,
                Set.of(SERVLET, REDIS),
                AT_REDIS,
                "rate-limiter.store=in-memory",
                ROUTE[0],
                ROUTE[1]),
        ON_REDIS("Spring Data Redis, a route on Redis", true, Set.of(SERVLET, REDIS), AT_REDIS, ROUTE[0], ROUTE[1]);

        private final String title;
        private final boolean starter;
        private final Set<Part> parts;
        private final String[] properties;

        Variant(String title, boolean starter, Set<Part> parts, String... properties) {
            this.title = title;
            this.starter = starter;
            this.parts = parts;
            this.properties = properties;
        }

        Variant base() {
            return parts.contains(Part.REDIS) ? REDIS_WITHOUT : WITHOUT;
        }

        Start start(String... options) {
            String classPath = Part.classPathOfHello(parts, starter);
            try (Application application =
                    Application.startPlainly(HelloApplication.class, classPath, List.of(options), properties)) {
                return new Start(application.secondsToStart(), application.processorSeconds());
            }
        }
    }

    private record Start(double seconds, double processorSeconds) {}

    /** With both compilers of the JVM, which keep a core of their own busy all the while, and with the quick one alone. */
    @ParameterizedTest
    @ValueSource(strings = {"-XX:+TieredCompilation", "-XX:TieredStopAtLevel=1"})
    void measure(String option) {
        Map<Variant, List<Start>> starts = new EnumMap<>(Variant.class);
        for (int run = 0; run < RUNS; run++) {
            for (Variant variant : Variant.values()) {
                starts.computeIfAbsent(variant, first -> new ArrayList<>()).add(variant.start(option));
            }
        }
        System.out.printf("| `%s` | start | later | processor time | more |%n|---|---|---|---|---|%n", option);
        starts.forEach((variant, each) -> {
            List<Start> base = starts.get(variant.base());
            double seconds = median(each, Start::seconds);
            double processor = median(each, Start::processorSeconds);
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.2f s | %+.2f s | %.2f s | %+.2f s |%n",
                    variant.title,
                    seconds,
                    seconds - median(base, Start::seconds),
                    processor,
                    processor - median(base, Start::processorSeconds));
        });
    }

    private static double median(List<Start> starts, ToDoubleFunction<Start> figure) {
        return starts.stream()
                .mapToDouble(figure)
                .sorted()
                .skip(starts.size() / 2)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void countLoadedClasses() throws IOException {
        System.out.printf("| classes loaded | all | ours | Lettuce, Netty, Reactor | Spring | others |%n");
        System.out.printf("|---|---|---|---|---|---|%n");
        for (Variant variant : Variant.values()) {
            Path log = Files.createTempFile("classes", ".log");
            variant.start("-Xlog:class+load=info:file=" + log + "::filecount=0");
            List<String> types;
            try (Stream<String> lines = Files.lines(log)) {
                types = lines.map(line -> line.replaceFirst("^(\\[[^]]*])*\\s*", ""))
                        .toList();
            }
            Files.delete(log);
            long ours = count(types, "io\\.ratelimit\\..*");
            long client = count(types, "(io\\.lettuce|io\\.netty|reactor)\\..*");
            long spring = count(types, "org\\.springframework\\..*");
            System.out.printf(
                    "| %s | %d | %d | %d | %d | %d |%n",
                    variant.title, types.size(), ours, client, spring, types.size() - ours - client - spring);
        }
    }

    private static long count(List<String> types, String pattern) {
        return types.stream().filter(type -> type.matches(pattern)).count();
    }
}
