package io.ratelimit.spring.internal.redis;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Begins a search for the master at most once a second, and not while one is under way: many calls fail at once, and each search
 * asks every node of a Cluster. Thread-safe.
 */
final class MasterSearch {

    private static final Logger LOG = LoggerFactory.getLogger(MasterSearch.class);
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Supplier<CompletionStage<?>> search;
    private final LongSupplier nanoTime;
    private final AtomicBoolean underWay = new AtomicBoolean();
    private volatile long lastNanos;

    /** @param search must not block */
    MasterSearch(Supplier<CompletionStage<?>> search, LongSupplier nanoTime) {
        this.search = search;
        this.nanoTime = nanoTime;
        this.lastNanos = nanoTime.getAsLong() - PAUSE_NANOS;
    }

    void begin() {
        if (!underWay.compareAndSet(false, true)) {
            return;
        }
        long nowNanos = nanoTime.getAsLong();
        if (nowNanos - lastNanos < PAUSE_NANOS) {
            underWay.set(false);
            return;
        }
        lastNanos = nowNanos;
        try {
            search.get().whenComplete((found, failure) -> end(failure));
        } catch (RuntimeException | Error failed) { // else it would stay under way for ever
            end(failed);
        }
    }

    private void end(@Nullable Throwable failure) {
        if (failure != null) {
            LOG.debug("the master was not found", failure);
        }
        underWay.set(false);
    }
}
