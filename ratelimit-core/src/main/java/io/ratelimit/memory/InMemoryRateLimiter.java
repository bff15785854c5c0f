package io.ratelimit.memory;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.algorithm.BlockedTally;
import io.ratelimit.internal.call.Amounts;
import io.ratelimit.internal.call.Bans;
import io.ratelimit.internal.call.Block;
import io.ratelimit.internal.call.Forget;
import io.ratelimit.internal.call.Settlements;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Counts in this process's memory. Decisions are exact under any number of threads, and a call waits only for another
 * decision about the same subject. Thread-safe.
 *
 * <p>Keeps the {@code maxSubjects} most used subjects of each limit, 100,000 by default, or as many as one call has charged
 * if these are more. A subject beyond them is dropped and starts anew, unless it is banned, is refused or has used up its
 * quota: such a subject is kept besides, as long as all of them fit into 160 bytes for each of {@code maxSubjects}, 16 MB by
 * default. A subject that was idle for two windows or two refills is dropped, too, because by then nothing of it counts.
 *
 * <pre>{@code
 * RateLimiter limiter = InMemoryRateLimiter.create();
 * Limit limit = Limit.of("api", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1));
 * limiter.acquire(Acquisition.of(limit, "alice")).remaining(); // 4
 * }</pre>
 */
public final class InMemoryRateLimiter implements RateLimiter {

    private static final long DEFAULT_MAX_SUBJECTS = 100_000;

    private final TickingClock clock;
    private final SubjectCaches caches;
    private final Settlements settlements = new Settlements();

    private InMemoryRateLimiter(long maxSubjects, MicrosClock clock) {
        this.clock = new TickingClock(clock);
        this.caches = new SubjectCaches(maxSubjects, this.clock);
    }

    /** Creates a limiter that keeps 100,000 subjects of each limit and follows elapsed time. */
    public static InMemoryRateLimiter create() {
        return create(DEFAULT_MAX_SUBJECTS, MicrosClock.steady());
    }

    /**
     * Creates a limiter with its own clock and number of subjects.
     *
     * @param maxSubjects number of subjects kept for each limit
     * @param clock returns the time of each decision
     * @throws IllegalArgumentException if {@code maxSubjects} is below 1
     */
    public static InMemoryRateLimiter create(long maxSubjects, MicrosClock clock) {
        if (maxSubjects < 1) {
            throw new IllegalArgumentException("max subjects '%d' must be at least 1".formatted(maxSubjects));
        }
        return new InMemoryRateLimiter(maxSubjects, clock);
    }

    /** Returns how many subjects are kept now, summed over all limits. */
    public long subjects() {
        return caches.size();
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        return decide(acquisition, true);
    }

    @Override
    public Decision peek(Acquisition acquisition) {
        return settlements.peeked(decide(acquisition, false));
    }

    @Override
    public void settle(Acquisition acquisition, Decision decision, long... actual) {
        if (settlements.begins(acquisition, decision, actual)) {
            List<Charge> charges = Amounts.times(acquisition.charges(), decision.taken());
            long[] each = Settlements.ofEach(charges, actual);
            if (Settlements.changesAny(charges, each) || Settlements.isFailure(charges, each)) {
                settle(charges, each, decision);
            }
        }
    }

    @Override
    public void reset(Limit limit, String subject) {
        Forget.checkSubject(limit, subject);
        caches.of(limit).forget(subject);
    }

    @Override
    public void ban(Limit limit, String subject) {
        List<Charge> charges = List.of(Bans.charge(limit, subject));
        locked(charges, entries -> {
            BanDecider.ban(limit, entries.get(0), clock.nowMicros());
            return true;
        });
    }

    @Override
    public void unban(Limit limit, String subject) {
        List<Charge> charges = List.of(Bans.charge(limit, subject));
        locked(charges, entries -> {
            entries.get(0).bans = null;
            return true;
        });
    }

    @Override
    public void cap(Limit limit, String subject, long remaining, Duration length) {
        Block.check(limit, remaining);
        long micros = Block.micros(limit, length);
        locked(List.of(Bans.anyCharge(limit, subject)), entries -> {
            Entry entry = entries.get(0);
            long clockMicros = clock.nowMicros();
            entry.tally = BlockedTally.of(entry.tally, limit.quota(), clockMicros, remaining, micros);
            entry.holdUntil(clockMicros + micros);
            return true;
        });
    }

    /** Forgets what every subject of every limit was charged. */
    public void resetAll() {
        caches.forgetAll();
    }

    @Override
    public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
        return CompletableFuture.completedFuture(acquire(acquisition));
    }

    @Override
    public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
        return CompletableFuture.completedFuture(peek(acquisition));
    }

    @Override
    public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
        settle(acquisition, decision, actual);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        reset(limit, subject);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> banAsync(Limit limit, String subject) {
        ban(limit, subject);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
        unban(limit, subject);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> capAsync(Limit limit, String subject, long remaining, Duration length) {
        cap(limit, subject, remaining, length);
        return CompletableFuture.completedFuture(null);
    }

    private void settle(List<Charge> charges, long[] actual, Decision decision) {
        locked(charges, entries -> {
            long clockMicros = clock.nowMicros();
            if (Settlements.changesAny(charges, actual)) { // otherwise only the charges that ban are concerned
                Decider.settle(charges, actual, entries, clockMicros, decision);
            }
            BanDecider.failed(charges, actual, entries, clockMicros);
            return true;
        });
    }

    private Decision decide(Acquisition acquisition, boolean charging) {
        List<Charge> charges = acquisition.charges();
        if (Bans.areIn(charges)) {
            return locked(charges, entries -> BanDecider.decide(acquisition, entries, clock.nowMicros(), charging));
        }
        return charges.size() == 1 && acquisition.times() == 1
                ? decide(charges.get(0), charging)
                : locked(charges, entries -> Decider.decide(acquisition, entries, clock.nowMicros(), charging));
    }

    private Decision decide(Charge charge, boolean charging) {
        while (true) {
            Entry entry = caches.of(charge.limit()).entry(charge.subject());
            synchronized (entry) {
                if (!entry.retired) {
                    return Decider.decide(charge, entry, clock.nowMicros(), charging);
                }
            }
        }
    }

    /**
     * Runs the action while the entries of all charges are locked. Looks them up again if one was retired meanwhile.
     */
    private <T> T locked(List<Charge> charges, Function<LockedEntries, T> action) {
        while (true) {
            LockedEntries entries = LockedEntries.of(
                    charges, charge -> caches.of(charge.limit()).entry(charge.subject(), charges.size()));
            T answer = entries.whileLocked(() -> action.apply(entries));
            if (answer != null) {
                return answer;
            }
        }
    }
}
