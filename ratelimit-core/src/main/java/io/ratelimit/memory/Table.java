package io.ratelimit.memory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.ratelimit.Algorithm;
import io.ratelimit.algorithm.Quota;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The cells of one limit, by subject, bounded in number and in idle time. Thread-safe.
 *
 * <p>A thread may hold a cell that the cache is just letting go of. So the cache retires a cell under the cell's lock,
 * and who finds it retired looks it up again. If the cell was charged between being found idle for too long and being
 * retired, it is kept for the subject's next look-up: idleness never costs a count. Being one too many does.
 */
final class Table {

    private final Algorithm algorithm;
    private final Cache<String, Cell> cells;
    private final ConcurrentHashMap<String, Cell> chargedWhileLeaving = new ConcurrentHashMap<>();
    private final MicrosClock clock;
    private volatile Quota longestLived;

    Table(Algorithm algorithm, Quota quota, long maxSubjects, MicrosClock clock) {
        this.algorithm = algorithm;
        this.clock = clock;
        this.longestLived = quota;
        this.cells = Caffeine.newBuilder()
                .maximumSize(maxSubjects)
                .expireAfterAccess(lifeMicros(quota), TimeUnit.MICROSECONDS)
                .ticker(() -> clock.nowMicros() * 1_000)
                .evictionListener(this::retire)
                .executor(Runnable::run) // a wake-up of another thread costs a decision more than the upkeep does
                .build();
    }

    Cell cell(String subject) {
        Cell cell = cells.getIfPresent(subject);
        return cell != null ? cell : cells.get(subject, this::newCell);
    }

    /** Keeps idle cells as long as this quota may need them, for a limit whose window has grown. */
    void keepAsLongAs(Quota quota) {
        if (!quota.equals(longestLived) && lifeMicros(quota) > lifeMicros(longestLived)) {
            longestLived = quota;
            cells.policy().expireAfterAccess().orElseThrow().setExpiresAfter(lifeMicros(quota), TimeUnit.MICROSECONDS);
        }
    }

    void forget(String subject) {
        cells.asMap().computeIfPresent(subject, (key, cell) -> {
            synchronized (cell) {
                cell.retired = true;
            }
            return null;
        });
        // one that was idle for too long is not present, but leaves only now
        cells.invalidate(subject);
        chargedWhileLeaving.remove(subject);
    }

    long size() {
        cells.cleanUp();
        return cells.estimatedSize();
    }

    private Cell newCell(String subject) {
        Cell charged = chargedWhileLeaving.remove(subject);
        return charged != null ? new Cell(charged.tally) : new Cell(algorithm.newTally());
    }

    private void retire(@Nullable String subject, @Nullable Cell cell, RemovalCause cause) {
        if (subject == null || cell == null) {
            return;
        }
        synchronized (cell) {
            cell.retired = true;
            long nowMicros = cell.tally.now(clock.nowMicros());
            if (cause == RemovalCause.EXPIRED && cell.tally.resetAfterMicros(longestLived, nowMicros) > 0) {
                chargedWhileLeaving.put(subject, cell);
            }
        }
    }

    /** Longer than any algorithm remembers: two windows, or two refills. */
    private static long lifeMicros(Quota quota) {
        return 2 * Math.max(quota.windowMicros(), quota.refillMicros());
    }
}
