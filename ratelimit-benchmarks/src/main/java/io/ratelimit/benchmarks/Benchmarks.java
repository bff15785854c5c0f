package io.ratelimit.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Measures what {@link Options} ask for, prints a table for each section, and writes the report. */
public final class Benchmarks {

    private Benchmarks() {}

    public static void main(String[] args) throws IOException {
        Options options = Options.parse(args);
        List<Section> catalogue = Catalogue.sections();
        List<Section> sections = catalogue.stream()
                .filter(Section::isPossible)
                .filter(options::wants)
                .toList();
        List<Callers> callers = Callers.all().stream().filter(options::wants).toList();
        if (sections.isEmpty() || callers.isEmpty()) {
            throw new IllegalArgumentException("'%s' selects nothing: use sections of %s and callers of %s"
                    .formatted(
                            String.join(" ", args),
                            catalogue.stream().map(Section::id).toList(),
                            Callers.all().stream().map(Callers::id).toList()));
        }
        Report report = Report.in(options.out(), catalogue);
        List<Row> rows = new ArrayList<>();
        try (RedisSite redis = RedisSite.start()) {
            Site site = new Site(redis, options.pace(), callers);
            for (Section section : sections) {
                rows.addAll(measure(section, site, report));
            }
        }
        report.write();
        List<Row> required =
                rows.stream().filter(row -> row.target().isRequired()).toList();
        System.out.printf(
                "%n%d of %d required ratios reached; see %s%n",
                required.stream().filter(Row::isReached).count(), required.size(), report.file());
    }

    private static List<Row> measure(Section section, Site site, Report report) throws IOException {
        CpuTime start = CpuTime.now();
        long startNanos = System.nanoTime();
        Findings findings = section.run(site);
        String facts = "Network: %s. %s; %s; the machine's host took %s of the processors' time; `--only=%s`."
                .formatted(
                        section.network(),
                        section.pace(site.pace()),
                        Machine.here(site.redis()).text(),
                        CpuTime.now().takenSince(start),
                        section.id());
        System.out.printf(
                "%n%s [%.0f s]%n%s%n%s%n%n%s",
                findings.title(),
                (System.nanoTime() - startNanos) / 1e9,
                facts,
                findings.how(),
                Table.of(findings.rows()));
        report.add(findings, facts);
        return findings.rows();
    }
}
