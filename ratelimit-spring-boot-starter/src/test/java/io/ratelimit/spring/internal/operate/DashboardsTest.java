package io.ratelimit.spring.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Decision.Source;
import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import io.ratelimit.StoreListener.Outcome;
import io.ratelimit.StoreListener.RoundTrip;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.internal.rule.AccessList;
import io.ratelimit.spring.internal.rule.CallLimiter.Unresolved;
import io.ratelimit.stack.RateLimiterStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/** What the dashboards and alerts ask Prometheus for is there, under that name and with those tags. */
class DashboardsTest {

    private static final Path OPS = Path.of("..", "ops");
    private static final Pattern QUERIED = Pattern.compile("\\b(rate_limiter_\\w+)(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(=~|!=|=)\\s*\"([^\"]*)\"");
    private static final Pattern GROUPED = Pattern.compile("\\bby \\(([^)]*)\\)");
    private static final Pattern SAMPLE = Pattern.compile("^(\\w+)(?:\\{([^}]*)})? .*$", Pattern.MULTILINE);

    /** Labels that Prometheus itself gives to all that it scrapes. */
    private static final Set<String> SCRAPED = Set.of("job", "instance");

    /** Values of each tag of each metric. */
    private static final Map<String, Map<String, Set<String>>> METRICS = scraped();

    static Stream<String> queries() throws IOException {
        List<String> queries = new ArrayList<>();
        for (JsonNode dashboard : dashboards()) {
            dashboard.findValues("expr").forEach(expr -> queries.add(expr.asText()));
        }
        alerts().forEach(alert -> queries.add((String) alert.get("expr")));
        return queries.stream();
    }

    @ParameterizedTest
    @MethodSource("queries")
    void everyQueryNamesMetersAndTagsThatExist(String query) {
        Set<String> tags = new HashSet<>(SCRAPED);
        int named = 0;
        for (Matcher queried = QUERIED.matcher(query); queried.find(); named++) {
            assertThat(METRICS).containsKey(queried.group(1));
            Map<String, Set<String>> known = METRICS.get(queried.group(1));
            tags.addAll(known.keySet());
            if (queried.group(2) != null) {
                assertMatches(queried.group(2), known);
            }
        }
        assertThat(named).as(query).isPositive();
        for (Matcher grouped = GROUPED.matcher(query); grouped.find(); ) {
            assertThat(tags).contains(grouped.group(1).split(",\\s*"));
        }
    }

    @Test
    void everyMeterIsOnADashboard() throws IOException {
        Set<String> shown = new TreeSet<>();
        queries().forEach(query -> QUERIED.matcher(query).results().forEach(each -> shown.add(each.group(1))));

        for (RateLimiterMeter meter : RateLimiterMeter.values()) {
            String name = meter.getName().replace('.', '_');
            assertThat(shown)
                    .as(meter.getName())
                    .anyMatch(each -> each.matches(name + "(_total|(_seconds)?_(sum|count|max))?"));
        }
    }

    @Test
    void everyPanelSaysWhatItShows() throws IOException {
        for (JsonNode dashboard : dashboards()) {
            assertThat(dashboard.path("uid").asText()).startsWith("ratelimit-");
            for (JsonNode panel : dashboard.path("panels")) {
                assertThat(panel.path("title").asText()).isNotBlank();
                assertThat(panel.path("description").asText()
                                + panel.at("/options/content").asText())
                        .as(panel.path("title").asText())
                        .isNotBlank();
            }
        }
    }

    @Test
    void everyAlertSaysWhatHappensAndWhatToDo() throws IOException {
        assertThat(alerts()).isNotEmpty().allSatisfy(alert -> {
            assertThat(alert).containsKeys("alert", "expr", "for", "labels");
            assertThat((Map<?, ?>) alert.get("annotations"))
                    .extracting("summary", "description")
                    .doesNotContainNull();
        });
    }

    private static void assertMatches(String selector, Map<String, Set<String>> known) {
        for (Matcher matcher = MATCHER.matcher(selector); matcher.find(); ) {
            if (!SCRAPED.contains(matcher.group(1))) {
                assertThat(known).containsKey(matcher.group(1));
                assertThat(known.get(matcher.group(1))).contains(matcher.group(3));
            }
        }
    }

    private static List<JsonNode> dashboards() throws IOException {
        List<JsonNode> dashboards = new ArrayList<>();
        try (Stream<Path> files = Files.list(OPS.resolve("grafana/dashboards"))) {
            for (Path file : files.sorted().toList()) {
                dashboards.add(new ObjectMapper().readTree(file.toFile()));
            }
        }
        assertThat(dashboards).hasSizeGreaterThanOrEqualTo(2);
        return dashboards;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> alerts() throws IOException {
        Map<String, List<Map<String, Object>>> file =
                new Yaml().load(Files.readString(OPS.resolve("prometheus/alerts.yml")));
        return file.get("groups").stream()
                .flatMap(group -> ((List<Map<String, Object>>) group.get("rules")).stream())
                .toList();
    }

    /** Everything that the meters can be, as Prometheus reads it. */
    private static Map<String, Map<String, Set<String>>> scraped() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        try (RateLimiterStack stack =
                RateLimiterStack.onRedis(new NotConnected()).build()) {
            StoreMetrics store = new StoreMetrics(() -> stack);
            store.bindTo(registry);
            for (Outcome outcome : Outcome.values()) {
                store.onRoundTrip(new RoundTrip(1, 1, Duration.ofMillis(1), outcome));
            }
            decide(registry, false);
            decide(registry, true);
            return parsed(registry.scrape());
        }
    }

    private static void decide(PrometheusMeterRegistry registry, boolean reportOnly) {
        RateLimiterMetrics metrics = new RateLimiterMetrics(reportOnly, 80);
        metrics.bindTo(registry);
        Limit one = Limit.of("one", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(300))
                .withBan(1, Duration.ofMinutes(1), Duration.ofMinutes(1));
        Acquisition alice = Acquisition.of(one, "alice");
        InMemoryRateLimiter limiter = InMemoryRateLimiter.create();
        for (int i = 0; i < 2; i++) {
            Decision decision = limiter.acquire(alice);
            metrics.onDecision(alice, decision);
            metrics.onDecision(alice, decision.from(Source.LOCAL));
            metrics.onWaited(alice, decision, Duration.ofMillis(1));
        }
        metrics.onFailure(alice, new StoreUnavailableException("away"));
        for (Unresolved reason : Unresolved.values()) {
            metrics.onUnresolved(one, reason);
        }
        for (AccessList.Kind kind : AccessList.Kind.values()) {
            metrics.onListed(kind);
        }
        for (LimitProvider.Outcome outcome : LimitProvider.Outcome.values()) {
            metrics.onLookUp(one, outcome);
        }
    }

    private static Map<String, Map<String, Set<String>>> parsed(String scrape) {
        Map<String, Map<String, Set<String>>> metrics = new TreeMap<>();
        for (Matcher sample = SAMPLE.matcher(scrape); sample.find(); ) {
            Map<String, Set<String>> tags = metrics.computeIfAbsent(sample.group(1), name -> new TreeMap<>());
            if (sample.group(2) != null) {
                for (Matcher tag = MATCHER.matcher(sample.group(2)); tag.find(); ) {
                    tags.computeIfAbsent(tag.group(1), name -> new TreeSet<>()).add(tag.group(3));
                }
            }
        }
        return metrics;
    }
}
