package io.ratelimit.benchmarks;

import io.ratelimit.benchmarks.CapacityCosts.Cost;
import io.ratelimit.benchmarks.ClusterTrial.Used;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Measures what a decision costs, computes what any load takes by that, tries three loads, and writes the page. */
public final class Capacity {

    private static final String TEMPLATE = "/io/ratelimit/benchmarks/capacity.md";
    private static final List<String> COSTS =
            List.of("a decision costs", "alone, at a quiet Redis", "alone, at a busy one", "one of 32 in a call");
    private static final List<String> TRIED =
            List.of("subjects", "decisions/s", "what", "by the table", "tried", "tried over table");

    private Capacity() {}

    /**
     * Measures everything, in about five minutes.
     *
     * @param args the page to write; it is printed if there is none
     */
    public static void main(String[] args) throws IOException {
        String page = page();
        if (args.length == 0) {
            System.out.print(page);
        } else {
            Files.writeString(Path.of(args[0]), page);
        }
    }

    private static String page() {
        CapacityCosts costs;
        String machine;
        try (RedisSite redis = RedisSite.start()) {
            costs = CapacityCosts.measure(redis);
            machine = Machine.here(redis).text();
        }
        return Resources.text(TEMPLATE)
                .formatted(
                        Table.of(COSTS, costs(costs)),
                        Table.of(
                                CapacityLoad.HEADINGS,
                                CapacityLoad.all().stream()
                                        .map(load -> load.cells(costs))
                                        .toList()),
                        alone(costs),
                        Table.of(TRIED, tried(costs)),
                        machine);
    }

    private static List<List<String>> costs(CapacityCosts costs) {
        return List.of(
                row(costs, "Redis' thread, µs", cost -> cost.redis().cpuMicros()),
                row(costs, "bytes to and from Redis", cost -> cost.redis().bytes()),
                row(costs, "processors of the instance, µs", Cost::jvmMicros));
    }

    private static List<String> row(CapacityCosts costs, String what, ToDoubleFunction<Cost> value) {
        return List.of(
                what,
                one(value.applyAsDouble(costs.quiet())),
                one(value.applyAsDouble(costs.busy())),
                one(value.applyAsDouble(costs.batched())));
    }

    /** Returns how many decisions a second half of a master's thread makes, one in a call. */
    private static String alone(CapacityCosts costs) {
        return "%,.0f".formatted(500_000 / costs.busy().redis().cpuMicros());
    }

    private static List<List<String>> tried(CapacityCosts costs) {
        List<List<String>> rows = new ArrayList<>();
        for (CapacityLoad load : List.of(
                new CapacityLoad(1_000, 1_000), new CapacityLoad(100_000, 1_000), new CapacityLoad(100_000, 3_000))) {
            Used used;
            try (ClusterTrial trial = new ClusterTrial()) {
                used = trial.run(load);
            }
            RedisUsage expected = load.aSecond(costs.alone((double) load.perSecond() / ClusterTrial.MASTERS)
                    .redis());
            if (load.subjects() > 10_000) { // fewer are lost among the buffers of connections
                rows.add(row(load, "memory, MB", load.memoryBytes(costs) / 1e6, used.memoryBytes() / 1e6));
            }
            rows.add(row(
                    load,
                    "Redis' processors",
                    expected.cpuMicros() / 1e6,
                    used.aSecond().cpuMicros() / 1e6));
            rows.add(row(
                    load,
                    "network, MB/s",
                    expected.bytes() / 1e6,
                    used.aSecond().bytes() / 1e6));
        }
        return rows;
    }

    private static List<String> row(CapacityLoad load, String what, double expected, double tried) {
        return List.of(
                "%,d".formatted(load.subjects()),
                "%,d".formatted(load.perSecond()),
                what,
                three(expected),
                three(tried),
                String.format(Locale.ROOT, "%.2f", tried / expected));
    }

    private static String one(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static String three(double value) {
        return String.format(Locale.ROOT, "%.3f", value);
    }
}
