package io.ratelimit.benchmarks;

import java.io.IOException;
import java.util.List;

/**
 * Runs all of it, prints a table for each section, and writes the report. {@link Options} says what it can be told.
 */
public final class Benchmarks {

    private Benchmarks() {}

    public static void main(String[] args) throws IOException {
        Options options = Options.parse(args);
        List<Section> sections =
                Catalogue.sections().stream().filter(options::wants).toList();
        if (sections.isEmpty()) {
            throw new IllegalArgumentException("'%s' names no section: use some of %s"
                    .formatted(
                            options.only(),
                            Catalogue.sections().stream().map(Section::id).toList()));
        }
        List<Callers> callers = Callers.all().stream().filter(options::wants).toList();
        Report report = new Report(CpuTime.now());
        try (RedisSite redis = RedisSite.start()) {
            Machine machine = Machine.here(redis);
            System.out.printf("%s%n%s%n", machine.text(), options.pace().text());
            for (Section section : sections) {
                report.add(printed(section, new Site(redis, options.pace(), callers)));
            }
            report.write(options, machine);
        }
        System.out.printf("%n%s; see %s%n", report.verdict(), Report.file(options));
    }

    private static Findings printed(Section section, Site site) {
        long startNanos = System.nanoTime();
        Findings findings = section.run(site);
        double seconds = (System.nanoTime() - startNanos) / 1e9;
        System.out.printf(
                "%n%s [%s, %.0f s]%n%s%n%n%s",
                findings.title(), section.id(), seconds, findings.how(), Table.of(findings.rows()));
        return findings;
    }
}
