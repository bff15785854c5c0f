package io.ratelimit.benchmarks;

import io.ratelimit.benchmarks.CapacityCosts.Cost;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** A number of subjects that are known at a time, and of decisions about them a second. */
record CapacityLoad(long subjects, long perSecond) {

    static final List<String> HEADINGS = List.of(
            "subjects",
            "decisions/s",
            "memory",
            "Redis' processors: alone",
            "in batches",
            "masters",
            "network: alone",
            "in batches",
            "instances' processors: alone",
            "in batches");

    /** The share of a master's thread that is used at most, so that bursts and a lost master find room. */
    private static final double SHARE = 0.5;

    static List<CapacityLoad> all() {
        return LongStream.of(1_000, 100_000, 10_000_000)
                .boxed()
                .flatMap(subjects -> Stream.of(1_000L, 10_000L, 100_000L, 1_000_000L)
                        .map(perSecond -> new CapacityLoad(subjects, perSecond)))
                .toList();
    }

    /** Returns what it takes, by what a decision costs. */
    RedisUsage aSecond(RedisUsage decision) {
        return new RedisUsage(perSecond * decision.cpuMicros(), perSecond * decision.bytes());
    }

    double memoryBytes(CapacityCosts costs) {
        return subjects * costs.subject();
    }

    List<String> cells(CapacityCosts costs) {
        long least = masters(aSecond(costs.batched().redis()));
        long most = masters(aSecond(costs.busy().redis()));
        Cost lone = costs.alone((double) perSecond / most);
        RedisUsage alone = aSecond(lone.redis());
        RedisUsage batched = aSecond(costs.batched().redis());
        return List.of(
                "%,d".formatted(subjects),
                "%,d".formatted(perSecond),
                megabytes(memoryBytes(costs)),
                number(alone.cpuMicros() / 1e6),
                number(batched.cpuMicros() / 1e6),
                most == least ? String.valueOf(most) : "%d to %d".formatted(least, most),
                megabytes(alone.bytes()) + "/s",
                megabytes(batched.bytes()) + "/s",
                number(perSecond * lone.jvmMicros() / 1e6),
                number(perSecond * costs.batched().jvmMicros() / 1e6));
    }

    private static long masters(RedisUsage aSecond) {
        return (long) Math.ceil(aSecond.cpuMicros() / 1e6 / SHARE);
    }

    private static String megabytes(double bytes) {
        return number(bytes / 1e6) + " MB";
    }

    /** Two digits that count. */
    private static String number(double value) {
        return value >= 10
                ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(Locale.ROOT, value >= 1 ? "%.1f" : value >= 0.1 ? "%.2f" : "%.3f", value);
    }
}
