package io.ratelimit.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;

/**
 * The times of one trial, which a machine that does other things too makes longer.
 *
 * @param figures all figures of the trial
 * @param longest wait of a caller
 * @param back from the end of the fault to the last call that the store did not decide
 */
record Times(String figures, Duration longest, Duration back) {

    private static final Duration LONGEST = Stack.TIMEOUT.plusMillis(50);
    private static final Duration BACK_WITHIN = Duration.ofSeconds(2);

    boolean areKept() {
        return longest.compareTo(LONGEST) <= 0 && back.compareTo(BACK_WITHIN) <= 0;
    }

    void assertKept() {
        assertThat(longest).as(figures).isLessThanOrEqualTo(LONGEST);
        assertThat(back).as(figures).isLessThanOrEqualTo(BACK_WITHIN);
    }
}
