package io.ratelimit.benchmarks;

import io.ratelimit.RateLimiter;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Holds what a decision costs against an earlier version of {@code ratelimit-core}: both have their turn in each round, in
 * processes of their own, on one Redis. Prints the ratios.
 */
public final class EarlierVersion {

    private static final int ROUNDS = 9;
    private static final String NOW = "this version";
    private static final String BEFORE = "the earlier one";

    private EarlierVersion() {}

    /**
     * Measures both versions.
     *
     * @param args the jar of the earlier version, or the folder of its classes
     */
    public static void main(String[] args) {
        if (args.length != 1 || !Files.exists(Path.of(args[0]))) {
            throw new IllegalArgumentException(
                    "'%s' is not a jar or folder of classes: pass that of an earlier ratelimit-core"
                            .formatted(String.join(" ", args)));
        }
        String present = Path.of(RateLimiter.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .toString();
        try (RedisSite redis = RedisSite.start()) {
            Map<String, List<Map<DecisionCost.Kind, Double>>> rounds = new Contest<Map<DecisionCost.Kind, Double>>()
                    .add(NOW, () -> costs(present, present, redis))
                    .add(BEFORE, () -> costs(present, args[0], redis))
                    .runCold(ROUNDS);
            System.out.printf("%s%n%n%s", Machine.here(redis).text(), Table.of(rows(rounds)));
        }
    }

    private static List<Row> rows(Map<String, List<Map<DecisionCost.Kind, Double>>> rounds) {
        List<Row> rows = new ArrayList<>();
        for (DecisionCost.Kind kind : DecisionCost.Kind.values()) {
            Map<String, Reading> readings = Reading.each(kind.unit, rounds, costs -> costs.get(kind));
            rows.add(new Row(
                    kind.what,
                    Objects.requireNonNull(readings.get(NOW)),
                    Objects.requireNonNull(readings.get(BEFORE)),
                    Target.atMost(1)));
        }
        return rows;
    }

    /** What a process measures that has one version in the other's place on the class path. */
    private static Map<DecisionCost.Kind, Double> costs(String present, String version, RedisSite redis) {
        redis.commands().flushall();
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).equals(Path.of(present)) ? version : entry)
                .collect(Collectors.joining(File.pathSeparator));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        try {
            Process process = new ProcessBuilder(
                            java, "-Xms512m", "-Xmx512m", "-cp", classPath, DecisionCost.class.getName(), redis.uri())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (BufferedReader printed = process.inputReader(StandardCharsets.UTF_8)) {
                Map<DecisionCost.Kind, Double> costs = printed.lines()
                        .map(line -> line.split(" "))
                        .collect(Collectors.toMap(
                                words -> DecisionCost.Kind.valueOf(words[0]), words -> Double.valueOf(words[1])));
                if (costs.size() != DecisionCost.Kind.values().length) {
                    throw new IllegalStateException("'%s' could not be measured".formatted(version));
                }
                return costs;
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot measure '%s'".formatted(version), failed);
        }
    }
}
