package io.ratelimit.lab;

import io.ratelimit.benchmarks.Machine;
import io.ratelimit.benchmarks.Resources;
import io.ratelimit.benchmarks.Table;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;

/** {@code accuracy.md}, and the picture beside it. Not thread-safe. */
final class AccuracyReport {

    private final List<String> sections = new ArrayList<>();

    void add(Experiment experiment, List<List<String>> rows) {
        sections.add("## %s\n\n%s `--only=%s`\n\n%s"
                .formatted(experiment.title(), experiment.how(), experiment.id(), Table.of(Summary.HEADINGS, rows)));
    }

    void add(LeaseCurve curve) {
        sections.add(
                "## Leases: exactness against round trips\n\n%s `--only=leases`\n\n%s\n![%s](accuracy-leases.svg)\n"
                        .formatted(curve.how(), curve.table(), "Most above the limit in any window, by lease"));
    }

    void write(Path folder, Lab.Options options, Machine machine) throws IOException {
        Files.createDirectories(folder);
        String introduction = Resources.text("/io/ratelimit/lab/introduction.md")
                .formatted(
                        options.quick() ? " in its quick form" : "",
                        options.repetitions(),
                        options.seed(),
                        machine.text(),
                        versions(),
                        settings());
        Files.writeString(folder.resolve("accuracy.md"), introduction + '\n' + String.join("\n", sections));
    }

    private static String settings() {
        List<List<String>> rows = Contenders.all().stream()
                .map(contender -> List.of(contender.name(), contender.promise().label(), contender.setting()))
                .toList();
        return Table.of(List.of("contender", "promise", "setting"), rows);
    }

    private static String versions() throws IOException {
        Properties versions = new Properties();
        versions.load(new StringReader(Resources.text("/io/ratelimit/benchmarks/versions.properties")));
        return versions.entrySet().stream()
                .map(peer -> peer.getKey() + " " + peer.getValue())
                .filter(peer -> !peer.startsWith("Guava"))
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
