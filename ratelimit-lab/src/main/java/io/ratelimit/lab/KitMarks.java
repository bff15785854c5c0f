package io.ratelimit.lab;

import io.ratelimit.benchmarks.RedisSite;
import io.ratelimit.benchmarks.Table;
import io.ratelimit.lab.kit.KitReport;
import io.ratelimit.lab.kit.Mark;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;

/** What the kit says of this library, its peers and the known limiters, each as a service. */
final class KitMarks {

    /** What of an answer is the lab's own where a contender is not an HTTP service itself. */
    private static final Set<String> OF_THE_LAB = Set.of("refused with 429", "body", "not stored", "headers");

    private final Map<KitTarget, KitReport> reports = new LinkedHashMap<>();

    private KitMarks() {}

    /** Marks all at once: most of a mark's time is waiting. */
    static KitMarks measure(RedisSite redis) {
        KitMarks marks = new KitMarks();
        ExecutorService threads = Executors.newCachedThreadPool();
        try (KitTargets targets = KitTargets.start(redis)) {
            targets.all().forEach(KitTarget::warmUp);
            Map<KitTarget, CompletableFuture<KitReport>> underWay = new LinkedHashMap<>();
            for (KitTarget target : targets.all()) {
                underWay.put(target, CompletableFuture.supplyAsync(target::mark, threads));
            }
            underWay.forEach((target, report) -> marks.reports.put(target, report.join()));
        } finally {
            threads.shutdown();
        }
        return marks;
    }

    /** The table of all marks, what failed, and one whole report as the kit prints it. */
    String body() {
        Map.Entry<KitTarget, KitReport> sample = reports.entrySet().iterator().next();
        return "%s%nNot passed, and what the limiter's own documentation says of it:%n%n%s%nWhat it prints of the %s:%n%n```text%n%s```%n"
                .formatted(
                        table(),
                        failures(),
                        sample.getKey().name(),
                        sample.getValue().text());
    }

    private String table() {
        List<String> checks = reports.values().iterator().next().marks().stream()
                .map(Mark::name)
                .toList();
        List<String> headings = new ArrayList<>(List.of("limiter", "allowed in any window"));
        headings.addAll(checks);
        List<List<String>> rows = new ArrayList<>();
        reports.forEach((target, report) -> {
            List<String> row = new ArrayList<>(List.of(target.name(), Long.toString(target.inAnyWindow())));
            report.marks().forEach(mark -> row.add(cell(target, mark)));
            rows.add(row);
        });
        return Table.of(headings, rows);
    }

    private static String cell(KitTarget target, Mark mark) {
        if (!target.isHttp() && OF_THE_LAB.contains(mark.name())) {
            return "";
        }
        return switch (mark.result()) {
            case PASSED -> "yes";
            case FAILED -> "**no**";
            case NOT_POSSIBLE -> "-";
        };
    }

    private String failures() {
        return reports.entrySet().stream()
                .flatMap(entry -> entry.getValue().marks().stream()
                        .filter(mark -> cell(entry.getKey(), mark).equals("**no**"))
                        .map(mark -> line(entry.getKey(), mark)))
                .collect(Collectors.joining());
    }

    private static String line(KitTarget target, Mark mark) {
        return "- %s, %s: %s%s%n"
                .formatted(
                        target.name(),
                        mark.name(),
                        mark.finding(),
                        target.words().containsKey(mark.name())
                                ? ". " + target.words().get(mark.name())
                                : "");
    }
}
