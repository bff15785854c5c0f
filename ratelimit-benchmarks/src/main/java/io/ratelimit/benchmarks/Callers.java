package io.ratelimit.benchmarks;

import java.util.List;
import java.util.stream.Stream;

/**
 * Who asks for decisions, and about how many subjects.
 *
 * @param id the name by which the command line selects them
 */
record Callers(String id, String text, int subjects, Load<? super AsyncContender> load) {

    private static final int MANY = 10_000;

    /** Those that this JDK can run: virtual threads need 21. */
    static List<Callers> all() {
        return Stream.of(
                        about("1", "one thread", BlockingLoad.platform(1)),
                        about("32", "32 threads", BlockingLoad.platform(32)),
                        Threads.haveVirtual()
                                ? about("virtual", "1,000 virtual threads", BlockingLoad.virtual(1_000))
                                : Stream.<Callers>of(),
                        about("callbacks", "1,000 callbacks", new OutstandingLoad(1_000)))
                .flatMap(callers -> callers)
                .toList();
    }

    private static Stream<Callers> about(String id, String text, Load<? super AsyncContender> load) {
        return Stream.of(
                new Callers(id + "-one", text + ", one subject", 1, load),
                new Callers(id + "-many", text + ", 10,000 subjects", MANY, load));
    }

    boolean isAboutOne() {
        return subjects == 1;
    }
}
