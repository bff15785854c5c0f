package io.ratelimit.algorithm;

import static io.ratelimit.testing.TestTime.DAY;
import static io.ratelimit.testing.TestTime.SECOND;
import static io.ratelimit.testing.TestTime.at;

import io.ratelimit.Algorithm;
import io.ratelimit.testing.SeededRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * A limit and calls to it, both by chance: bursts at one µs, pauses, waits of just the time a refusal named, jumps over
 * windows, and now and then a refund. Keeps what was admitted and not given back.
 */
final class RandomCalls {

    /** What one call took, and when. */
    record Admitted(long atMicros, long cost) {}

    final Subject subject;
    final List<Admitted> admitted = new ArrayList<>();
    private final SeededRandom random;
    private final boolean refunding;
    private long nowMicros = at("11:59:59");

    private RandomCalls(Subject subject, SeededRandom random, boolean refunding) {
        this.subject = subject;
        this.random = random;
        this.refunding = refunding;
    }

    static RandomCalls of(Algorithm algorithm, SeededRandom random) {
        return of(algorithm, random, 1_000_000_000_000L, false);
    }

    static RandomCalls ofSmallLimits(Algorithm algorithm, SeededRandom random) {
        return of(algorithm, random, 60, false);
    }

    static RandomCalls ofSmallLimitsWithRefunds(Algorithm algorithm, SeededRandom random) {
        return of(algorithm, random, 60, true);
    }

    private static RandomCalls of(Algorithm algorithm, SeededRandom random, long most, boolean refunding) {
        long maxRequests = random.ofAnySize(1, most);
        long window = random.oneOf(SECOND, 7 * SECOND, random.ofAnySize(1_000, 366 * DAY));
        long capacity = algorithm.hasBurst()
                ? random.between(Math.max(1, maxRequests / 3), Math.min(most, 3 * maxRequests))
                : maxRequests;
        Quota quota = new Quota(maxRequests, window, capacity);
        return new RandomCalls(new Subject(algorithm.newTally(), quota), random, refunding);
    }

    RandomCalls make(int calls) {
        for (int i = 0; i < calls; i++) {
            if (refunding && !admitted.isEmpty() && random.oneIn(6)) {
                giveBackOne();
            }
            callOnce();
        }
        return this;
    }

    long nowMicros() {
        return nowMicros;
    }

    long cost() {
        return random.oneIn(3) ? random.ofAnySize(1, subject.quota().capacity()) : 1;
    }

    private void callOnce() {
        long cost = cost();
        nowMicros += pause(cost);
        if (subject.admits(cost, nowMicros)) {
            admitted.add(new Admitted(nowMicros, cost));
        }
    }

    private long pause(long cost) {
        long window = subject.quota().windowMicros();
        return switch ((int) random.between(0, 6)) {
            case 0, 1 -> 0;
            case 2 -> random.between(1, 1 + window / subject.quota().maxRequests());
            case 3 -> random.between(1, window / 4);
            case 4 -> random.oneIn(4) ? random.between(1, 3 * window) : window - nowMicros % window;
            default -> subject.retryAfter(cost, nowMicros);
        };
    }

    private void giveBackOne() {
        int newest = admitted.size() - 1;
        int which = (int) random.between(Math.max(0, newest - 8), newest);
        Admitted undone = admitted.remove(which);
        subject.giveBack(undone.cost(), undone.atMicros(), nowMicros);
    }
}
