package io.ratelimit.benchmarks;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * {@code performance.md} and the pictures beside it. A section that is measured replaces the one that the file has;
 * the others stay, and so do the remarks. Not thread-safe.
 */
final class Report {

    private static final Pattern SECTION = Pattern.compile("(?m)^(?=## )");
    private static final String REMARKS = "## Remarks";
    private static final Pattern ID = Pattern.compile("`--only=([\\w.-]+)`");
    private static final Pattern REACHED = Pattern.compile("(?m)\\| yes +\\|$");
    private static final Pattern MISSED = Pattern.compile("(?m)\\| \\*\\*no\\*\\* +\\|$");

    private final Path folder;
    private final List<String> order;
    private final Map<String, String> sections = new HashMap<>();

    private Report(Path folder, List<String> order) {
        this.folder = folder;
        this.order = order;
    }

    /** Reads the report in that folder, if there is one. */
    static Report in(Path folder, List<Section> catalogue) throws IOException {
        Report report = new Report(
                folder,
                Stream.concat(Stream.of(REMARKS), catalogue.stream().map(Section::id))
                        .toList());
        if (Files.exists(report.file())) {
            SECTION.splitAsStream(Files.readString(report.file())).forEach(report::keep);
        }
        return report;
    }

    private void keep(String text) {
        Matcher id = ID.matcher(text);
        if (text.startsWith(REMARKS)) {
            sections.put(REMARKS, text.strip());
        } else if (text.startsWith("## ") && id.find()) {
            sections.put(id.group(1), text.strip());
        }
    }

    Path file() {
        return folder.resolve("performance.md");
    }

    /** @param facts where and how long it was measured, in words */
    void add(Findings findings, String facts) throws IOException {
        Files.createDirectories(folder);
        StringBuilder text = new StringBuilder("## %s\n\n%s\n\n%s\n\n%s"
                .formatted(findings.title(), facts, findings.how(), Table.of(findings.rows())));
        for (int i = 0; i < findings.charts().size(); i++) {
            Chart chart = findings.charts().get(i);
            String picture = "performance-%s%s.svg".formatted(findings.id(), i == 0 ? "" : "-" + (i + 1));
            Files.writeString(folder.resolve(picture), chart.svg());
            text.append("\n![%s](%s)\n".formatted(chart.title(), picture));
        }
        sections.put(findings.id(), text.toString().strip());
    }

    void write() throws IOException {
        List<String> texts = new ArrayList<>();
        order.stream().filter(sections::containsKey).forEach(id -> texts.add(Objects.requireNonNull(sections.get(id))));
        String body = String.join("\n\n", texts) + '\n';
        long reached = count(REACHED, body);
        String introduction = Resources.text("/io/ratelimit/benchmarks/introduction.md")
                .formatted(
                        Summary.of(sections),
                        Limits.PER_SECOND,
                        Limits.BURST,
                        100 * Contest.MOST_STOLEN,
                        versions(),
                        reached,
                        reached + count(MISSED, body));
        Files.writeString(file(), introduction + '\n' + body);
    }

    private static long count(Pattern pattern, String text) {
        return pattern.matcher(text).results().count();
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
