package io.ratelimit.lab.partner;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.lab.Rate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is counted of arrivals that are written down. The limit is 3 in 10 s, and 1 % of the window 100 ms. */
class PartnerFiguresTest {

    private static final Rate RATE = new Rate(3, 10_000_000);

    private final List<Arrival> arrivals = new ArrayList<>();

    private static long at(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    private void allowed(double seconds) {
        arrivals.add(new Arrival(at(seconds), false, true, at(seconds)));
    }

    private void retried(double seconds) {
        arrivals.add(new Arrival(at(seconds), true, true, at(seconds)));
    }

    private void refused(double seconds, double retryAfter) {
        arrivals.add(new Arrival(at(seconds), false, false, at(seconds + retryAfter)));
    }

    private PartnerFigures figures(PartnerWindow.Kind kind) {
        return PartnerFigures.of(arrivals, kind, RATE);
    }

    @Test
    void countsWhatIsSentBeforeARetryAfterIsOver() {
        allowed(0);
        refused(4, 6);
        refused(9, 1);
        allowed(9.9);
        allowed(10);

        assertThat(figures(PartnerWindow.Kind.FROM_FIRST).early()).isEqualTo(2);
    }

    @Test
    void aShorterRetryAfterEndsNoLongerOne() {
        refused(0, 8);
        refused(1, 1);
        allowed(5);

        assertThat(figures(PartnerWindow.Kind.FROM_FIRST).early()).isEqualTo(2);
    }

    @Test
    void countsRefusalsByThePartnersWindows() {
        allowed(3);
        refused(4, 1);
        refused(12.9, 1);
        allowed(13);
        refused(20, 3);

        PartnerFigures figures = figures(PartnerWindow.Kind.FROM_FIRST);
        assertThat(figures.mostRefused()).isEqualTo(2);
        assertThat(figures.refusedWindows()).isEqualTo(2);
    }

    @Test
    void aSlidingWindowOfRefusalsBeginsWithTheFirst() {
        allowed(3);
        refused(9, 1);
        refused(18.9, 1);
        refused(19, 1);

        PartnerFigures figures = figures(PartnerWindow.Kind.SLIDING);
        assertThat(figures.mostRefused()).isEqualTo(2);
        assertThat(figures.refusedWindows()).isEqualTo(2);
    }

    @Test
    void countsRetriesThatComeTogetherAndAllThatComesTogether() {
        retried(1);
        allowed(1.02);
        retried(1.09);
        retried(1.19);
        allowed(5);

        PartnerFigures figures = figures(PartnerWindow.Kind.FROM_FIRST);
        assertThat(figures.closeRetries()).isEqualTo(1);
        assertThat(figures.mostAtOnce()).isEqualTo(3);
    }

    @Test
    void saysHowMuchOfTheQuotaWasUsed() {
        allowed(1);
        allowed(2);
        refused(3, 1);
        allowed(11);

        PartnerFigures figures = figures(PartnerWindow.Kind.FROM_FIRST);
        assertThat(figures.usedPercent(6)).isEqualTo(50);
        assertThat(figures.refused()).isEqualTo(1);
    }
}
