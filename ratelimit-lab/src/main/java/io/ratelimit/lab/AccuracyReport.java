package io.ratelimit.lab;

import io.ratelimit.benchmarks.Chart;
import io.ratelimit.benchmarks.Machine;
import io.ratelimit.benchmarks.Resources;
import io.ratelimit.benchmarks.Table;
import io.ratelimit.lab.partner.PartnerExperiment;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code accuracy.md}, and the pictures beside it. A section that is measured replaces the one that the file has. Not
 * thread-safe.
 */
final class AccuracyReport {

    private static final Pattern SECTION = Pattern.compile("(?m)^(?=## )");
    private static final Pattern ID = Pattern.compile("`--only=([\\w-]+)`");

    private final Path folder;
    private final Map<String, String> sections = new HashMap<>();

    private AccuracyReport(Path folder) {
        this.folder = folder;
    }

    /**
     * Reads the report in that folder, if there is one.
     *
     * @param keep whether sections that are not measured now stay
     */
    static AccuracyReport in(Path folder, boolean keep) throws IOException {
        Files.createDirectories(folder);
        AccuracyReport report = new AccuracyReport(folder);
        if (keep && Files.exists(report.file())) {
            SECTION.splitAsStream(Files.readString(report.file())).forEach(report::keep);
        }
        return report;
    }

    private void keep(String section) {
        Matcher id = ID.matcher(section);
        if (section.startsWith("## ") && id.find()) {
            sections.put(id.group(1), section.strip());
        }
    }

    private Path file() {
        return folder.resolve("accuracy.md");
    }

    void add(Experiment experiment, List<List<String>> rows, List<Chart> charts) throws IOException {
        add(experiment.id(), experiment.title(), experiment.how(), Table.of(Summary.HEADINGS, rows), charts);
    }

    void add(LeaseCurve curve) throws IOException {
        String title = "Leases: exactness against round trips";
        add("leases", title, curve.how(), curve.table(), List.of(curve.chart()));
    }

    void add(PartnerExperiment partner) throws IOException {
        add("partner", "Twenty instances that call a partner", partner.how(), partner.body(), List.of());
    }

    void add(KitMarks marks) throws IOException {
        String how =
                "A limit of %d in %d s, counted in Redis where the limiter can; each limiter at two addresses where it can share its counts, and warm. `yes` passed, `**no**` did not, `-` not possible: it has no such address, gives no wait, or took too long for bursts around a boundary on a busy machine. Contenders that are no HTTP services are behind a server of the lab's; what of an answer is that server's own is left empty. `allowed in any window` is what the limiter's documentation allows, such as Bucket4j's: [\"it is possible to burst at twice the limit\"](https://github.com/bucket4j/bucket4j/blob/master/asciidoc/src/main/docs/asciidoc/basic/production-generic-checklist.adoc). Versions are those above.";
        add(
                "kit",
                "What the kit says",
                how.formatted(KitTarget.RATE.limit(), KitTarget.RATE.window().toSeconds()),
                marks.body(),
                List.of());
    }

    private void add(String id, String title, String how, String body, List<Chart> charts) throws IOException {
        StringBuilder text = new StringBuilder("## %s\n\n%s `--only=%s`\n\n%s".formatted(title, how, id, body));
        for (Chart chart : charts) {
            String picture = "accuracy-%s.svg".formatted(id);
            Files.writeString(folder.resolve(picture), chart.svg());
            text.append("\n![%s](%s)\n".formatted(chart.title(), picture));
        }
        sections.put(id, text.toString().strip());
    }

    void write(Lab.Options options, Machine machine) throws IOException {
        String introduction = Resources.text("/io/ratelimit/lab/introduction.md")
                .formatted(
                        options.quick() ? " in its quick form" : "",
                        options.repetitions(),
                        options.seed(),
                        machine.text(),
                        versions(),
                        settings());
        Stream<String> experiments = Experiments.all(options.quick()).stream().map(Experiment::id);
        String body = Stream.of(Stream.of("kit"), experiments, Stream.of("leases", "partner"))
                .flatMap(ids -> ids)
                .filter(sections::containsKey)
                .map(id -> Objects.requireNonNull(sections.get(id)))
                .collect(Collectors.joining("\n\n"));
        Files.writeString(file(), introduction + '\n' + body + '\n');
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
