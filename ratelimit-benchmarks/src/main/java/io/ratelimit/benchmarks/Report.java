package io.ratelimit.benchmarks;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The findings as {@code performance.md} and the pictures beside it. Not thread-safe. */
final class Report {

    private static final String INTRODUCTION = """
            # Performance

            Written by `%s`, not by hand. All contenders of a table ran in one run on one Redis, took turns in changing
            order, and limited by the same numbers: %,d requests a second and a burst of %,d, so that every decision
            admits, unless the section says otherwise. A number is the median of its rounds, and behind it stand the
            lowest and the highest round. So is a ratio: in each round what was measured is divided by what stood beside
            it in the same round, for the machine's pace moves from minute to minute. Compare ratios, not figures. For a
            round in which the machine's host took more than %.0f %% of the processors' time another is run, up to a third
            as many as there are; the least disturbed count, whatever they measured.

            - Machine: %s
            - Processor time that the machine's host took away meanwhile: %s
            - Pace: %s
            - Peers: %s
            - Required ratios reached: %d of %d
            """;

    private final List<Findings> sections = new ArrayList<>();
    private final CpuTime start;

    Report(CpuTime start) {
        this.start = start;
    }

    void add(Findings findings) {
        sections.add(findings);
    }

    void write(Options options, Machine machine) throws IOException {
        Files.createDirectories(options.out());
        StringBuilder text = new StringBuilder(introduction(options, machine));
        for (Findings findings : sections) {
            text.append("\n## %s\n\n%s\n\n%s".formatted(findings.title(), findings.how(), Table.of(findings.rows())));
            for (int i = 0; i < findings.charts().size(); i++) {
                Chart chart = findings.charts().get(i);
                String file = "performance-%s%s.svg".formatted(findings.id(), i == 0 ? "" : "-" + (i + 1));
                Files.writeString(options.out().resolve(file), chart.svg());
                text.append("\n![%s](%s)\n".formatted(chart.title(), file));
            }
        }
        Files.writeString(file(options), text);
    }

    static Path file(Options options) {
        return options.out().resolve("performance.md");
    }

    /** How many of the required ratios were reached, in words. */
    String verdict() {
        return "%d of %d required ratios reached".formatted(reached(), required());
    }

    private String introduction(Options options, Machine machine) throws IOException {
        return INTRODUCTION.formatted(
                options.command(),
                Limits.PER_SECOND,
                Limits.BURST,
                100 * Contest.MOST_STOLEN,
                machine.text(),
                CpuTime.now().takenSince(start),
                options.pace().text(),
                versions(),
                reached(),
                required());
    }

    private long reached() {
        return rows().stream()
                .filter(row -> row.target().isRequired() && row.isReached())
                .count();
    }

    private long required() {
        return rows().stream().filter(row -> row.target().isRequired()).count();
    }

    private List<Row> rows() {
        return sections.stream().flatMap(findings -> findings.rows().stream()).toList();
    }

    private static String versions() throws IOException {
        Properties versions = new Properties();
        versions.load(new StringReader(Resources.text("/io/ratelimit/benchmarks/versions.properties")));
        return new TreeMap<>(versions)
                .entrySet().stream()
                        .map(peer -> String.format(Locale.ROOT, "%s %s", peer.getKey(), peer.getValue()))
                        .collect(Collectors.joining(", "));
    }
}
