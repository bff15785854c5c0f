package io.ratelimit.lab;

import io.ratelimit.benchmarks.BarChart;
import io.ratelimit.benchmarks.Chart;
import io.ratelimit.benchmarks.Machine;
import io.ratelimit.benchmarks.Reading;
import io.ratelimit.benchmarks.RedisSite;
import io.ratelimit.benchmarks.Table;
import io.ratelimit.lab.partner.PartnerExperiment;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Takes all contenders through all experiments, and writes {@code docs/accuracy.md}. */
public final class Lab {

    private static final Path PUBLISHED = Path.of("docs");
    private static final Path TRIAL = Path.of("ratelimit-lab", "target", "report");

    /** The kit and the partner, which take two minutes each, and experiments that differ from another by a number or a direction. */
    private static final Set<String> NOT_IF_QUICK = Set.of("kit", "partner", "ramp", "four", "behind", "network-1ms");

    private Lab() {}

    /**
     * What the command line asks for.
     *
     * <pre>
     * --quick            one repetition, and a shorter one, without the kit, the partner and experiments that resemble others
     * --only=above,two   these sections alone; the report goes to this module's target folder, or with --out=docs
     *                    into the page, whose other sections stay
     * --seed=7           other calls
     * --out=folder       where the report goes
     * </pre>
     */
    record Options(boolean quick, List<String> only, long seed, Path out) {

        static Options parse(String... args) {
            boolean quick = false;
            List<String> only = List.of();
            long seed = 1;
            Path out = null;
            for (String arg : args) {
                String value = arg.substring(arg.indexOf('=') + 1);
                if (arg.equals("--quick")) {
                    quick = true;
                } else if (arg.startsWith("--only=")) {
                    only = List.of(value.split(","));
                } else if (arg.startsWith("--seed=")) {
                    seed = Long.parseLong(value);
                } else if (arg.startsWith("--out=")) {
                    out = Path.of(value);
                } else {
                    throw new IllegalArgumentException(
                            "'%s' is not an option: use --quick, --only=experiment,..., --seed=number or --out=folder"
                                    .formatted(arg));
                }
            }
            return new Options(quick, only, seed, out != null ? out : only.isEmpty() ? PUBLISHED : TRIAL);
        }

        int repetitions() {
            return quick ? 1 : 5;
        }

        boolean wants(String id) {
            return only.isEmpty() ? !quick || !NOT_IF_QUICK.contains(id) : only.contains(id);
        }
    }

    public static void main(String[] args) throws IOException {
        Options options = Options.parse(args);
        AccuracyReport report = AccuracyReport.in(options.out(), !options.only().isEmpty());
        try (RedisSite redis = RedisSite.start()) {
            Machine machine = Machine.here(redis);
            Runner runner = new Runner(redis, options.seed());
            if (options.wants("kit")) {
                KitMarks marks = KitMarks.measure(redis);
                report.add(marks);
                System.out.printf("%nKit%n%s", marks.body());
            }
            for (Experiment experiment : Experiments.all(options.quick())) {
                if (options.wants(experiment.id())) {
                    measure(experiment, runner, options, report);
                }
            }
            if (options.wants("leases")) {
                LeaseCurve curve = LeaseCurve.measure(redis, runner, options.quick());
                report.add(curve);
                System.out.printf("%nLeases%n%s", curve.table());
            }
            if (options.wants("partner")) {
                PartnerExperiment partner = PartnerExperiment.measure(redis, options.seed());
                report.add(partner);
                System.out.printf("%nPartner%n%s", partner.body());
            }
            report.write(options, machine);
        }
        System.out.printf("%nsee %s%n", options.out().resolve("accuracy.md"));
        System.exit(0); // some limiters leave callers behind that wait for ever
    }

    private static void measure(Experiment experiment, Runner runner, Options options, AccuracyReport report)
            throws IOException {
        long startNanos = System.nanoTime();
        Map<Contender, List<Marks>> marks = new LinkedHashMap<>();
        for (int repetition = 0; repetition < options.repetitions(); repetition++) {
            runner.run(experiment, Contenders.all(), repetition)
                    .forEach((contender, found) -> marks.computeIfAbsent(contender, any -> new ArrayList<>())
                            .add(found));
        }
        marks.forEach((contender, found) -> checkKnown(contender, experiment, found));
        List<List<String>> rows = Contenders.all().stream()
                .map(contender -> row(contender, experiment, marks))
                .toList();
        report.add(experiment, rows, pictures(experiment, marks));
        System.out.printf(
                "%n%s [%.0f s]%n%s",
                experiment.title(), (System.nanoTime() - startNanos) / 1e9, Table.of(Summary.HEADINGS, rows));
    }

    private static List<Chart> pictures(Experiment experiment, Map<Contender, List<Marks>> marks) {
        if (!experiment.pictured()) {
            return List.of();
        }
        List<Reading> readings = marks.entrySet().stream()
                .map(entry -> new Summary(entry.getKey(), experiment, entry.getValue()).mostInWindow())
                .toList();
        String title = "%s: most admitted in any window, at a limit of %d"
                .formatted(experiment.title(), experiment.rate().limit());
        return List.of(new BarChart(title, readings));
    }

    private static List<String> row(Contender contender, Experiment experiment, Map<Contender, List<Marks>> marks) {
        Optional<String> why = contender.cannot(experiment);
        return why.isPresent()
                ? Summary.cannot(contender, why.get())
                : new Summary(contender, experiment, marks.getOrDefault(contender, List.of())).cells();
    }

    /** Where the answers are known, other marks mean that the lab is wrong. */
    private static void checkKnown(Contender contender, Experiment experiment, List<Marks> marks) {
        int known = Contenders.known().indexOf(contender);
        boolean right = marks.stream().allMatch(found -> switch (known) {
            case 0 -> found.admitted() == found.offered();
            case 1 -> found.difference() == 0 && found.waits().early() == 0;
            case 2 -> !experiment.id().equals("boundary") || found.difference() > 0;
            default -> true;
        });
        if (!right) {
            throw new IllegalStateException(
                    "the lab is wrong of '%s' in '%s': %s".formatted(contender.name(), experiment.id(), marks));
        }
    }
}
