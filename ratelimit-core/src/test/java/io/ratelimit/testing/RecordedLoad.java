package io.ratelimit.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Micros;
import io.ratelimit.testing.AdmittedHistory.Admission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads that ask the limiters of one store for whatever chance has them ask: one limit or several, of any algorithm,
 * at any cost, one call at a time or dozens at once, and now and then give back what they got. Keeps what each limit
 * admitted of each subject, and was not given back, by the store's own time.
 */
public final class RecordedLoad {

    private static final Logger LOG = LoggerFactory.getLogger(RecordedLoad.class);
    private static final int THREADS = 12;

    /** How much longer than asked the load may go on, on a busy machine, to see what its histories are about. */
    private static final long MOST_MORE_NANOS = TimeUnit.SECONDS.toNanos(50);

    private static final int MOST_AT_ONCE = 48;
    private static final long MOST_REQUESTS = 60;
    private static final List<String> SUBJECTS = List.of("alice", "bob");
    private static final List<Limit> LIMITS =
            Algorithms.ofCosts().stream().map(RecordedLoad::limit).toList();

    /** One limit of one subject. */
    private record Counted(Limit limit, String subject) {}

    public final LongAdder allowed = new LongAdder();
    public final LongAdder refused = new LongAdder();
    public final LongAdder failed = new LongAdder();
    private final Map<Counted, Collection<Admission>> admissions = new ConcurrentHashMap<>();

    private record Asked(Acquisition acquisition, CompletableFuture<Decision> answer) {}

    private final boolean oneSubjectACall;
    private final boolean untilSomeFail;

    private RecordedLoad(boolean oneSubjectACall, boolean untilSomeFail) {
        this.oneSubjectACall = oneSubjectACall;
        this.untilSomeFail = untilSomeFail;
    }

    /**
     * Asks for that long, and until each limit has admitted every subject and refused somebody; each limiter is that of
     * an instance of the service, and all of them share one store.
     */
    public static RecordedLoad run(String name, Duration length, List<? extends RateLimiter> limiters) {
        return new RecordedLoad(false, false).run(name, length.toNanos(), limiters);
    }

    /** The same on a store that fails now and then, until some calls have failed, too. */
    public static RecordedLoad runUntilSomeFail(String name, Duration length, List<? extends RateLimiter> limiters) {
        return new RecordedLoad(false, true).run(name, length.toNanos(), limiters);
    }

    /** The same on a Cluster, where a decision on subjects of several masters has one time and they have several. */
    public static RecordedLoad runOnCluster(String name, Duration length, List<? extends RateLimiter> limiters) {
        return new RecordedLoad(true, false).run(name, length.toNanos(), limiters);
    }

    private RecordedLoad run(String name, long nanos, List<? extends RateLimiter> limiters) {
        long start = System.nanoTime();
        Threads.run(THREADS, thread -> () -> {
            SeededRandom random = SeededRandom.of(name + thread);
            while (goesOn(nanos, System.nanoTime() - start)) {
                askSome(limiters.get(thread % limiters.size()), random);
            }
            return null;
        });
        return this;
    }

    private boolean goesOn(long length, long soFar) {
        return soFar < length || (!hasSeenAll() && soFar < length + MOST_MORE_NANOS);
    }

    private boolean hasSeenAll() {
        return admissions.size() == LIMITS.size() * SUBJECTS.size()
                && refused.sum() > 0
                && (!untilSomeFail || failed.sum() > 0);
    }

    /** Every limit was kept, by the brute-force count over all that it admitted of a subject. */
    public void assertKeptEveryLimit(String store) {
        assertThat(admissions).hasSize(LIMITS.size() * SUBJECTS.size());
        assertThat(refused.sum()).as("calls that found the limit reached").isPositive();
        List<String> figures = new ArrayList<>();
        admissions.forEach((counted, all) -> {
            Limit limit = counted.limit();
            AdmittedHistory history = AdmittedHistory.of(all);
            long mostUsed = history.mostUsed(limit.algorithm(), limit.quota());
            figures.add("%s %d of %d".formatted(limit.algorithm().label(), mostUsed, limit.capacity()));
            assertThat(mostUsed)
                    .as("%s: %s: %s", SeededRandom.seed(), limit, history)
                    .isLessThanOrEqualTo(limit.capacity());
            assertThat(history.mostWithin(limit.quota().windowMicros()))
                    .as("%s: %s: %s", SeededRandom.seed(), limit, history)
                    .isLessThanOrEqualTo(AdmittedHistory.mostInAnyWindow(limit.algorithm(), limit.quota()));
        });
        LOG.info("{}: {} allowed, {} refused, {} failed; most in use: {}", store, allowed, refused, failed, figures);
    }

    private void askSome(RateLimiter limiter, SeededRandom random) {
        long atOnce = random.oneIn(3) ? random.ofAnySize(1, MOST_AT_ONCE) : 1;
        List<Asked> all = new ArrayList<>();
        for (long i = 0; i < atOnce; i++) {
            Acquisition some = some(random);
            all.add(new Asked(some, limiter.acquireAsync(some).toCompletableFuture()));
        }
        all.forEach(asked -> record(asked, limiter, random));
    }

    private void record(Asked asked, RateLimiter limiter, SeededRandom random) {
        Decision decision = asked.answer
                .handle((answer, failure) -> failure == null ? answer : failed(failure))
                .join();
        if (decision == null) {
            failed.increment();
        } else if (!decision.allowed()) {
            refused.increment();
        } else {
            allowed.increment();
            keepOrGiveBack(asked.acquisition, decision, limiter, random);
        }
    }

    /** Null, if it is the store that failed. */
    private static Decision failed(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (!(cause instanceof StoreUnavailableException)) {
            throw new CompletionException(cause);
        }
        return null;
    }

    private void keepOrGiveBack(Acquisition acquisition, Decision decision, RateLimiter limiter, SeededRandom random) {
        if (!random.oneIn(10)) {
            keep(acquisition, decision);
            return;
        }
        try {
            limiter.refund(acquisition, decision);
        } catch (StoreUnavailableException unavailable) {
            LOG.debug("not in the history, whether or not it was given back", unavailable);
        }
    }

    private void keep(Acquisition acquisition, Decision decision) {
        for (Charge charge : acquisition.charges()) {
            admissions
                    .computeIfAbsent(
                            new Counted(charge.limit(), charge.subject()), counted -> new ConcurrentLinkedQueue<>())
                    .add(new Admission(Micros.of(decision.decidedAt()), charge.cost()));
        }
    }

    private Acquisition some(SeededRandom random) {
        int first = (int) random.between(0, LIMITS.size() - 1);
        int limits = random.oneIn(3) ? (int) random.between(2, LIMITS.size()) : 1;
        String subject = subject(random);
        return new Acquisition(IntStream.range(first, first + limits)
                .mapToObj(i -> LIMITS.get(i % LIMITS.size()))
                .map(limit -> new Charge(
                        limit, oneSubjectACall ? subject : subject(random), random.ofAnySize(1, MOST_REQUESTS / 4)))
                .toList());
    }

    private static String subject(SeededRandom random) {
        return SUBJECTS.get((int) random.between(0, SUBJECTS.size() - 1));
    }

    /** So small a window that a history holds many. */
    private static Limit limit(Algorithm algorithm) {
        Limit limit = Limit.of("history", algorithm, MOST_REQUESTS, Duration.ofMillis(70));
        return algorithm.hasBurst() ? limit.withBurst(MOST_REQUESTS / 2) : limit;
    }
}
