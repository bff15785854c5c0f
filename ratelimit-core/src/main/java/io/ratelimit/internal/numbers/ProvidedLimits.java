package io.ratelimit.internal.numbers;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ratelimit.DecisionListener;
import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import io.ratelimit.LimitProvider.Numbers;
import io.ratelimit.LimitProvider.Outcome;
import io.ratelimit.internal.DaemonThreads;
import io.ratelimit.internal.Listeners;
import io.ratelimit.internal.Scheduler;
import io.ratelimit.internal.SubjectHash;
import io.ratelimit.internal.layer.OutageLog;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up the numbers of limits for subjects on threads of its own, and keeps them. A subject that calls is looked up again
 * before its numbers are old, or ten seconds after that has failed. After {@link #close} nothing is looked up. Thread-safe.
 */
public final class ProvidedLimits implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LimitProvider.class);

    private static final long MOST_SUBJECTS = 100_000;
    private static final int MOST_QUEUED = 10_000;

    /** A look-up takes some time, so that it begins before the numbers are old. */
    private static final long NEXT_NANOS =
            TimeUnit.SECONDS.toNanos(LimitProvider.FRESH_SECONDS) - ProvidedNumbers.AHEAD_NANOS;

    private static final Duration LONGEST = Duration.ofSeconds(LimitProvider.LONGEST_SECONDS);

    private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LimitProvider provider;
    private final Listeners<DecisionListener> listeners;
    private final Scheduler scheduler;
    private final LongSupplier nanoTime;
    private final OutageLog outage;
    private final ThreadPoolExecutor threads;

    /** The entries of all look-ups, queued ones too: one that has left the cache is still awaited. */
    private final Map<Object, ProvidedNumbers> underWay = new ConcurrentHashMap<>();

    private volatile boolean closed;
    private final Cache<Key, ProvidedNumbers> known = Caffeine.newBuilder()
            .maximumSize(MOST_SUBJECTS)
            .executor(Runnable::run)
            .build();

    private record Key(String limit, String subject) {}

    /** @param scheduler interrupts look-ups that take too long */
    public ProvidedLimits(
            LimitProvider provider, List<DecisionListener> listeners, Scheduler scheduler, LongSupplier nanoTime) {
        this.provider = provider;
        this.listeners = new Listeners<>(listeners);
        this.scheduler = scheduler;
        this.nanoTime = nanoTime;
        this.outage = OutageLog.ofProvider(nanoTime);
        this.threads = new ThreadPoolExecutor(
                LimitProvider.MOST_LOOKUPS,
                LimitProvider.MOST_LOOKUPS,
                1,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(MOST_QUEUED),
                DaemonThreads.named("ratelimit-provider"));
        threads.allowCoreThreadTimeOut(true);
    }

    /** Returns whether the limit may have other numbers for some subjects. */
    boolean isProvided(Limit limit) {
        try {
            return limit.lease() == 1 && limit.shards() == 1 && provider.provides(limit);
        } catch (Throwable failed) { // Kotlin and Groovy throw checked exceptions, too
            outage.failed(failed.getClass().getName());
            return false;
        }
    }

    /** Returns what is known of the subject, and looks it up if that is to be renewed. */
    ProvidedNumbers of(Limit limit, String subject) {
        long now = nanoTime.getAsLong();
        Key key = new Key(limit.name(), SubjectHash.shortened(subject));
        ProvidedNumbers entry = known.getIfPresent(key);
        if (entry == null) {
            entry = known.get(key, absent -> new ProvidedNumbers(now));
        }
        if (closed) {
            entry.awaitNoLonger();
        } else if (entry.beginLookUp(now)) {
            begin(entry, limit, subject);
        }
        return entry;
    }

    private void begin(ProvidedNumbers entry, Limit limit, String subject) {
        Object lookUp = new Object();
        underWay.put(lookUp, entry);
        try {
            threads.execute(() -> {
                try {
                    lookUp(entry, limit, subject);
                } finally {
                    underWay.remove(lookUp);
                }
            });
        } catch (RejectedExecutionException tooMany) {
            underWay.remove(lookUp);
            failed(entry, limit, "more than %d look-ups wait".formatted(MOST_QUEUED));
        }
    }

    private void lookUp(ProvidedNumbers entry, Limit limit, String subject) {
        RunningLookUp running = new RunningLookUp(Thread.currentThread());
        Future<?> alarm = scheduler.schedule(LONGEST.toNanos(), () -> {
            if (running.isInterruptedNow()) {
                entry.overdue(nanoTime.getAsLong() + RETRY_NANOS);
                CompletableFuture.runAsync(() -> report(
                        limit,
                        "no answer within %d s".formatted(LimitProvider.LONGEST_SECONDS))); // not on the timer's thread
            }
        });
        try {
            Optional<Numbers> numbers = provider.numbers(limit, subject);
            numbers.ifPresent(found -> ProvidedNumbers.checked(limit, found));
            if (running.isEndedInTime()) {
                entry.found(numbers, nanoTime.getAsLong() + NEXT_NANOS);
                outage.succeeded();
                listeners.each(
                        listener -> listener.onLookUp(limit, numbers.isPresent() ? Outcome.FOUND : Outcome.NONE));
            } else {
                entry.mayBeLookedUp();
            }
        } catch (Throwable failed) { // Kotlin and Groovy throw checked exceptions, too; null fails as well
            LOG.trace("a look-up of '{}' failed", limit.name(), failed); // it may quote the subject
            if (running.isEndedInTime()) {
                failed(entry, limit, failed.getClass().getName());
            } else {
                entry.mayBeLookedUp();
            }
        } finally {
            alarm.cancel(false);
            Thread.interrupted();
        }
    }

    private void failed(ProvidedNumbers entry, Limit limit, String reason) {
        entry.failed(nanoTime.getAsLong() + RETRY_NANOS);
        report(limit, reason);
    }

    private void report(Limit limit, String reason) {
        outage.failed(reason);
        listeners.each(listener -> listener.onLookUp(limit, Outcome.FAILED));
    }

    @Override
    public void close() {
        closed = true;
        outage.close();
        threads.shutdownNow(); // first, so that no look-up which a call awaits begins after the others were visited
        underWay.values().forEach(entry -> entry.awaitNoLonger());
    }
}
