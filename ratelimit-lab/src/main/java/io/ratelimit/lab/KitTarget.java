package io.ratelimit.lab;

import io.ratelimit.lab.kit.Kit;
import io.ratelimit.lab.kit.KitReport;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A limiter that the kit marks.
 *
 * @param isHttp whether its answers are its own, not those of {@link ContenderServer}
 * @param inAnyWindow what its documentation allows in a window, wherever that begins
 * @param words what its makers say of a check that it does not pass, by the check's name
 */
record KitTarget(String name, boolean isHttp, long inAnyWindow, Map<String, String> words, List<String> addresses) {

    static final Rate RATE = new Rate(10, 10_000_000);

    private static final int WARM_UP = 40;

    void warmUp() {
        Kit.warmUp(WARM_UP, arguments());
    }

    KitReport mark() {
        return Kit.mark(arguments());
    }

    private String[] arguments() {
        return Stream.concat(
                        Stream.of(
                                "--header=" + ContenderServer.HEADER,
                                "--limit=" + RATE.limit(),
                                "--window=" + RATE.window().toSeconds() + "s",
                                "--in-any-window=" + inAnyWindow,
                                "--wait=" + 2 * RATE.window().toSeconds() + "s"),
                        addresses.stream())
                .toArray(String[]::new);
    }
}
