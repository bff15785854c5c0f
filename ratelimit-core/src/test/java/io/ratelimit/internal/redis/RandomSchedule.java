package io.ratelimit.internal.redis;

import static io.ratelimit.testing.TestTime.DAY;
import static io.ratelimit.testing.TestTime.MINUTE;
import static io.ratelimit.testing.TestTime.at;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.call.StateId;
import io.ratelimit.testing.SeededRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What is done to the twins, by chance: calls and peeks of one or several limits and subjects, some of which take what is left, waits of just the time a
 * refusal named, stalls, jumps over windows, resets, settled and refunded calls, changed limits, bans, blocks, and limits of other numbers beside them. Time goes
 * either forwards, or also back now and then, for a moment or for good.
 *
 * <p>A schedule is short, for Redis' TTLs run on real time. One that goes back ends before the twin in memory would
 * forget what is idle: forgetting and then going back is no promise either.
 */
final class RandomSchedule {

    private static final String[] SUBJECTS = {"alice", "bob", "{carol}"};

    private record Taken(Acquisition acquisition, Decision decision) {}

    private final TwinStores twins;
    private final SeededRandom random;
    private final String name;
    private final boolean backwards;

    /** In one acquisition. No limit is lower, so that it can be asked for in each of them. */
    private final int mostCharges;

    private final boolean bans;
    private final boolean blocks;

    /** The parts of a counter's window. */
    private final int buckets;

    private final Limit[] limits;
    private final List<Taken> taken = new ArrayList<>();
    private final long startMicros;
    private long nowMicros;
    private long passedMicros;
    private long waitMicros;
    private int steps;

    RandomSchedule(TwinStores twins, SeededRandom random, String name, List<Algorithm> algorithms) {
        this(twins, random, name, algorithms, 1);
    }

    RandomSchedule(TwinStores twins, SeededRandom random, String name, List<Algorithm> algorithms, int buckets) {
        this.buckets = buckets;
        this.twins = twins;
        this.random = random;
        this.name = name;
        this.backwards = random.oneIn(3);
        this.bans = random.oneIn(2);
        this.blocks = random.oneIn(3);
        this.mostCharges = algorithms.size() > 1 ? 6 : 1;
        this.limits = algorithms.stream().map(this::someLimit).toArray(Limit[]::new);
        this.startMicros = at("12:00:00") + random.between(0, DAY);
        this.nowMicros = startMicros;
    }

    /** Answers how many steps it took. */
    int play(int most) {
        twins.startAt(startMicros, backwards);
        while (steps < most && !(backwards && passedMicros > shortestWindow())) {
            steps++;
            long pause = pause();
            nowMicros += pause;
            passedMicros += pause;
            if (backwards && random.oneIn(6)) {
                nowMicros -= random.ofAnySize(1, 3 * shortestWindow());
            }
            boolean forAMoment = backwards && random.oneIn(4);
            twins.setClock(forAMoment ? nowMicros - random.between(0, shortestWindow() / 2) : nowMicros);
            step();
        }
        return steps;
    }

    private void step() {
        if (random.oneIn(10)) {
            twins.peek(someAcquisition());
        } else if (random.oneIn(60)) {
            twins.reset(random.oneOf(limits), random.oneOf(SUBJECTS));
        } else if (random.oneIn(60)) {
            banOrUnban(random.oneOf(limits), random.oneOf(SUBJECTS));
        } else if (blocks && random.oneIn(30)) {
            Limit blocked = random.oneIn(4) ? beside(random.oneOf(limits)) : random.oneOf(limits);
            long longest = 3 * blocked.quota().windowMicros();
            twins.cap(
                    blocked,
                    random.oneOf(SUBJECTS),
                    someCap(blocked),
                    Micros.toDuration(random.ofAnySize(1, Math.min(366 * DAY, longest))));
        } else if (random.oneIn(40)) {
            int which = (int) random.between(0, limits.length - 1);
            limits[which] = renumbered(limits[which]);
        } else if (!taken.isEmpty() && random.oneIn(8)) {
            Taken call = taken.remove((int) random.between(Math.max(0, taken.size() - 9), taken.size() - 1));
            twins.settle(call.acquisition(), call.decision(), someActual(call.acquisition()));
        } else {
            acquire(someAcquisition());
        }
    }

    private void acquire(Acquisition acquisition) {
        Decision decision = twins.acquire(acquisition);
        waitMicros = Micros.of(decision.retryAfter());
        if (decision.allowed()) {
            taken.add(new Taken(acquisition, decision));
        }
    }

    private void banOrUnban(Limit limit, String subject) {
        if (limit.ban().isPresent() && random.oneIn(2)) {
            twins.ban(limit, subject);
        } else if (limit.ban().isPresent()) {
            twins.unban(limit, subject);
        }
    }

    private long pause() {
        Limit limit = random.oneOf(limits);
        long window = limit.quota().windowMicros();
        long pause = switch ((int) random.between(0, 7)) {
            case 0, 1, 2 -> 0;
            case 3 -> random.between(1, 1 + window / limit.maxRequests());
            case 4 -> random.between(1, window / 50);
            case 5 -> random.oneIn(6) ? random.between(1, 3 * window) : window - nowMicros % window;
            default -> waitMicros - (waitMicros > 0 && random.oneIn(3) ? 1 : 0);
        };
        return backwards ? Math.min(pause, shortestWindow() / 30) : pause;
    }

    private Acquisition someAcquisition() {
        List<Charge> charges = new ArrayList<>();
        do {
            Limit limit = random.oneIn(4) ? beside(random.oneOf(limits)) : random.oneOf(limits);
            charges.add(new Charge(limit, random.oneOf(SUBJECTS), cost(limit)));
        } while (random.oneIn(2) && charges.size() < 6);
        try {
            Acquisition acquisition = new Acquisition(charges);
            return random.oneIn(6) && hasDistinctStates(acquisition)
                    ? acquisition.upTo((int) random.ofAnySize(1, 1_000))
                    : acquisition;
        } catch (CostExceedsCapacityException together) {
            return someAcquisition();
        }
    }

    private static boolean hasDistinctStates(Acquisition acquisition) {
        List<Charge> charges = acquisition.charges();
        return charges.stream().map(StateId::of).distinct().count() == charges.size();
    }

    /** Mostly a block. */
    private long someCap(Limit limit) {
        return limit.algorithm().countsElements() || random.oneIn(2) ? 0 : random.ofAnySize(1, limit.capacity() + 1);
    }

    private long[] someActual(Acquisition acquisition) {
        return random.oneIn(2)
                ? new long[] {0}
                : acquisition.charges().stream()
                        .mapToLong(charge -> random.ofAnySize(
                                1,
                                (random.oneIn(9) ? 1_000_000 : 4)
                                        * charge.limit().capacity()))
                        .toArray();
    }

    private long cost(Limit limit) {
        long most = Math.max(1, limit.capacity() / mostCharges);
        return random.oneIn(2) ? 1 : random.ofAnySize(1, most);
    }

    private Limit someLimit(Algorithm algorithm) {
        long micros = random.ofAnySize(MINUTE, 366 * DAY);
        Duration window = Micros.toDuration(micros - micros % buckets);
        Limit limit =
                inParts(Limit.of(name + algorithm.label(), algorithm, random.ofAnySize(mostCharges, most()), window));
        Limit burst = algorithm.hasBurst()
                ? limit.withBurst(random.between(limit.maxRequests(), 3 * limit.maxRequests()))
                : limit;
        return bans && random.oneIn(2) ? withSomeBan(burst) : burst;
    }

    /** The times are at least a minute, because Redis' TTLs run on real time. */
    private Limit withSomeBan(Limit limit) {
        long longest = Math.min(366 * DAY, 4 * limit.quota().windowMicros());
        Duration[] lengths = IntStream.range(0, (int) random.between(1, 5))
                .mapToObj(i -> Micros.toDuration(random.ofAnySize(MINUTE, longest)))
                .sorted()
                .toArray(Duration[]::new);
        Duration within = Micros.toDuration(random.ofAnySize(MINUTE, longest));
        Limit banning = limit.withBan((int) random.between(1, 6), within, lengths);
        return limit.algorithm().countsCosts() && random.oneIn(2) ? banning.banningFailures() : banning;
    }

    private long most() {
        return random.oneIn(4) ? 300_000_000_000L : 40;
    }

    /** The same limit as somebody else knows it: by another max or burst, or now and then by another window. */
    private Limit beside(Limit limit) {
        Duration window = random.oneIn(4) ? limit.windowSize().plusMillis(buckets) : limit.windowSize();
        long max = random.ofAnySize(1, most());
        Limit other = inParts(Limit.of(limit.name(), limit.algorithm(), max, window));
        Limit burst = limit.algorithm().hasBurst() ? other.withBurst(random.between(max, 3 * max)) : other;
        return bans && random.oneIn(2) ? withSomeBan(burst) : burst;
    }

    private Limit renumbered(Limit limit) {
        long least = Math.max(mostCharges, limit.maxRequests() / 2);
        long maxRequests = random.between(least, Math.max(least, 2 * Math.min(limit.maxRequests(), most())));
        Limit renumbered = inParts(Limit.of(limit.name(), limit.algorithm(), maxRequests, limit.windowSize()));
        return bans && random.oneIn(2) ? withSomeBan(renumbered) : renumbered;
    }

    private Limit inParts(Limit limit) {
        return buckets > 1 && limit.algorithm() == Algorithm.SLIDING_WINDOW_COUNTER
                ? limit.withBuckets(buckets)
                : limit;
    }

    private long shortestWindow() {
        return Arrays.stream(limits)
                .mapToLong(limit -> limit.quota().windowMicros())
                .min()
                .orElseThrow();
    }
}
