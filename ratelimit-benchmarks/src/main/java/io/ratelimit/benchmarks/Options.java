package io.ratelimit.benchmarks;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * What the command line asks for.
 *
 * <pre>
 * --quick              less of everything, for a trial
 * --only=one-async,heap  these sections alone
 * --callers=32-one     of the network sections, these callers alone; see {@link Callers}
 * --out=folder         where the report goes
 * </pre>
 *
 * <p>By default a complete and thorough run writes to {@code docs/design}, and any other, which is a trial, to this module's
 * {@code target}.
 */
record Options(boolean quick, List<String> only, List<String> callers, Path out) {

    private static final Path PUBLISHED = Path.of("docs", "design");
    private static final Path TRIAL = Path.of("ratelimit-benchmarks", "target", "report");

    static Options parse(String... args) {
        boolean quick = false;
        List<String> only = List.of();
        List<String> callers = List.of();
        Path out = null;
        for (String word : words(args)) {
            if (word.equals("--quick")) {
                quick = true;
            } else if (word.startsWith("--only=")) {
                only = List.of(valueOf(word).split(","));
            } else if (word.startsWith("--callers=")) {
                callers = List.of(valueOf(word).split(","));
            } else if (word.startsWith("--out=")) {
                out = Path.of(valueOf(word));
            } else {
                throw new IllegalArgumentException(
                        "'%s' is no option: use --quick, --only=section,..., --callers=32-one,... or --out=folder"
                                .formatted(word));
            }
        }
        boolean partial = quick || !only.isEmpty() || !callers.isEmpty();
        return new Options(quick, only, callers, out != null ? out : partial ? TRIAL : PUBLISHED);
    }

    Pace pace() {
        return quick ? Pace.quick() : Pace.thorough();
    }

    boolean wants(Section section) {
        return only.isEmpty()
                || only.stream()
                        .anyMatch(id -> section.id().equals(id) || section.id().startsWith(id + "-"));
    }

    boolean wants(Callers who) {
        return callers.isEmpty()
                || callers.stream()
                        .anyMatch(id -> who.id().equals(id) || who.id().startsWith(id + "-"));
    }

    /** Maven hands all of them over as one. */
    private static List<String> words(String... args) {
        return Arrays.stream(String.join(" ", args).trim().split("\\s+"))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    private static String valueOf(String word) {
        return word.substring(word.indexOf('=') + 1);
    }
}
