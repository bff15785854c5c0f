package io.ratelimit.memory;

import io.ratelimit.Acquisition;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimiter;
import io.ratelimit.algorithm.Quota;
import io.ratelimit.algorithm.Tally;
import io.ratelimit.internal.Micros;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;

/**
 * Counts in this process's memory. Exact under any number of threads, and waits for nothing but another decision on
 * the same subject. Thread-safe.
 *
 * <p>Keeps the {@code maxSubjects} most used subjects of each limit (100,000 unless said); a subject beyond them is
 * forgotten and starts anew. A subject idle for two windows is forgotten too, and by then nothing of it counts.
 */
public final class InMemoryRateLimiter implements RateLimiter {

    private static final long DEFAULT_MAX_SUBJECTS = 100_000;

    private final TickingClock clock;
    private final SubjectCaches caches;

    private InMemoryRateLimiter(long maxSubjects, MicrosClock clock) {
        this.clock = new TickingClock(clock);
        this.caches = new SubjectCaches(maxSubjects, this.clock);
    }

    public static InMemoryRateLimiter create() {
        return create(DEFAULT_MAX_SUBJECTS, MicrosClock.steady());
    }

    /**
     * Keeps that many subjects of each limit, by that clock.
     *
     * @param maxSubjects subjects kept for each limit
     * @throws IllegalArgumentException if {@code maxSubjects} is below 1
     */
    public static InMemoryRateLimiter create(long maxSubjects, MicrosClock clock) {
        if (maxSubjects < 1) {
            throw new IllegalArgumentException("max subjects '%d' must be at least 1".formatted(maxSubjects));
        }
        return new InMemoryRateLimiter(maxSubjects, clock);
    }

    @Override
    public Decision acquire(Acquisition acquisition) {
        return decide(acquisition, true);
    }

    @Override
    public Decision peek(Acquisition acquisition) {
        return decide(acquisition, false);
    }

    @Override
    public void refund(Acquisition acquisition, Decision decision) {
        if (decision.allowed() && decision.source() != Decision.Source.NONE) {
            locked(acquisition, (charges, entries) -> giveBack(charges, entries, Micros.of(decision.decidedAt())));
        }
    }

    @Override
    public void reset(Limit limit, String subject) {
        caches.of(limit).forget(subject);
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
    public CompletionStage<Void> refundAsync(Acquisition acquisition, Decision decision) {
        refund(acquisition, decision);
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> resetAsync(Limit limit, String subject) {
        reset(limit, subject);
        return CompletableFuture.completedFuture(null);
    }

    private Decision decide(Acquisition acquisition, boolean charging) {
        List<Charge> charges = acquisition.charges();
        return charges.size() == 1
                ? decide(charges.get(0), charging)
                : locked(acquisition, (all, entries) -> decide(all, entries, charging));
    }

    /** The same as for several, for what nearly every call is: one limit, and so one lock. */
    private Decision decide(Charge charge, boolean charging) {
        Quota quota = charge.limit().quota();
        while (true) {
            Entry entry = caches.of(charge.limit()).entry(charge.subject());
            synchronized (entry) {
                if (!entry.retired) {
                    long clockMicros = clock.nowMicros();
                    Tally tally = entry.tally;
                    long nowMicros = tally.now(quota, clockMicros);
                    long retryAfterMicros = tally.retryAfterMicros(quota, nowMicros, charge.cost(), 0);
                    if (retryAfterMicros == 0 && charging) {
                        tally.take(quota, nowMicros, charge.cost());
                    }
                    LimitStatus status = status(charge, tally, tally.now(quota, clockMicros), retryAfterMicros);
                    return decision(retryAfterMicros == 0, List.of(status), clockMicros);
                }
            }
        }
    }

    private <T> T locked(Acquisition acquisition, BiFunction<List<Charge>, LockedEntries, T> action) {
        List<Charge> charges = acquisition.charges();
        while (true) {
            LockedEntries entries = LockedEntries.of(
                    charges, charge -> caches.of(charge.limit()).entry(charge.subject()));
            T answer = entries.whileLocked(() -> action.apply(charges, entries));
            if (answer != null) {
                return answer;
            }
        }
    }

    private Decision decide(List<Charge> charges, LockedEntries entries, boolean charging) {
        long clockMicros = clock.nowMicros();
        long[] retryAfterMicros = new long[charges.size()];
        boolean admitted = true;
        for (int i = 0; i < retryAfterMicros.length; i++) {
            Charge charge = charges.get(i);
            Quota quota = charge.limit().quota();
            Tally tally = entries.get(i).tally;
            long nowMicros = tally.now(quota, clockMicros);
            retryAfterMicros[i] =
                    tally.retryAfterMicros(quota, nowMicros, charge.cost(), loadAhead(charges, entries, i));
            admitted &= retryAfterMicros[i] == 0;
        }
        if (admitted && charging) {
            for (int i = 0; i < retryAfterMicros.length; i++) {
                Quota quota = charges.get(i).limit().quota();
                Tally tally = entries.get(i).tally;
                tally.take(quota, tally.now(quota, clockMicros), charges.get(i).cost());
            }
        }
        List<LimitStatus> statuses = new ArrayList<>(charges.size());
        for (int i = 0; i < retryAfterMicros.length; i++) {
            Tally tally = entries.get(i).tally;
            long nowMicros = tally.now(charges.get(i).limit().quota(), clockMicros);
            statuses.add(status(charges.get(i), tally, nowMicros, retryAfterMicros[i]));
        }
        return decision(admitted, statuses, clockMicros);
    }

    /** What the charges before this one take from the same entry. */
    private static long loadAhead(List<Charge> charges, LockedEntries entries, int index) {
        Tally tally = entries.get(index).tally;
        long load = 0;
        for (int i = 0; i < index; i++) {
            if (entries.get(i).tally == tally) {
                load += tally.load(
                        charges.get(i).limit().quota(), charges.get(i).cost());
            }
        }
        return load;
    }

    private static Decision decision(boolean admitted, List<LimitStatus> statuses, long clockMicros) {
        return new Decision(admitted, statuses, Decision.Source.STORE, Micros.toInstant(clockMicros));
    }

    private static LimitStatus status(Charge charge, Tally tally, long nowMicros, long retryAfterMicros) {
        Quota quota = charge.limit().quota();
        return LimitStatus.ofMicros(
                charge.limit(),
                tally.remaining(quota, nowMicros),
                retryAfterMicros,
                tally.resetAfterMicros(quota, nowMicros));
    }

    /** Answers true, for {@link #locked} takes null for "again". */
    private boolean giveBack(List<Charge> charges, LockedEntries entries, long takenAtMicros) {
        long clockMicros = clock.nowMicros();
        for (int i = 0; i < charges.size(); i++) {
            Charge charge = charges.get(i);
            Tally tally = entries.get(i).tally;
            Quota quota = charge.limit().quota();
            tally.giveBack(quota, tally.now(quota, clockMicros), charge.cost(), takenAtMicros);
        }
        return true;
    }
}
