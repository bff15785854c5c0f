package io.ratelimit.memory;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.ratelimit.Algorithm;
import io.ratelimit.SubjectHash;
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
    private final TickingClock clock;
    private volatile Quota longestLived;

    Table(Algorithm algorithm, Quota quota, long maxSubjects, TickingClock clock) {
        this.algorithm = algorithm;
        this.clock = clock;
        this.longestLived = quota;
        this.cells = Caffeine.newBuilder()
                .maximumSize(maxSubjects)
                .expireAfterAccess(lifeMicros(quota), TimeUnit.MICROSECONDS)
                .ticker(clock)
                .evictionListener(this::retire)
                .executor(Runnable::run) // a wake-up of another thread costs a decision more than the upkeep does
                .build();
    }

    Cell cell(String subject) {
        String name = name(subject);
        Cell cell = cells.getIfPresent(name);
        return cell != null ? cell : cells.get(name, this::newCell);
    }

    /** Keeps idle cells as long as this quota may need them, for a limit whose window has grown. */
    void keepAsLongAs(Quota quota) {
        if (!quota.equals(longestLived) && lifeMicros(quota) > lifeMicros(longestLived)) {
            longestLived = quota;
            cells.policy().expireAfterAccess().orElseThrow().setExpiresAfter(lifeMicros(quota), TimeUnit.MICROSECONDS);
        }
    }

    void forget(String subject) {
        String name = name(subject);
        cells.asMap().computeIfPresent(name, (key, cell) -> {
            synchronized (cell) {
                cell.retired = true;
            }
            return null;
        });
        // one that was idle for too long is not present, but leaves only now
        cells.invalidate(name);
        chargedWhileLeaving.remove(name);
    }

    long size() {
        clock.nowMicros(); // a tick, so that what is idle for too long by now goes, too
        cells.cleanUp();
        return cells.estimatedSize() + chargedWhileLeaving.size();
    }

    private Cell newCell(String name) {
        Cell charged = chargedWhileLeaving.remove(name);
        return charged != null ? new Cell(charged.tally) : new Cell(algorithm.newTally());
    }

    private void retire(@Nullable String name, @Nullable Cell cell, RemovalCause cause) {
        if (name == null || cell == null) {
            return;
        }
        boolean kept;
        synchronized (cell) {
            cell.retired = true;
            kept = cause == RemovalCause.EXPIRED && counts(cell);
            if (kept) {
                chargedWhileLeaving.put(name, cell);
            }
        }
        if (kept) {
            chargedWhileLeaving.values().removeIf(left -> !counts(left)); // whose subjects did not come back
        }
    }

    private boolean counts(Cell cell) {
        synchronized (cell) {
            long nowMicros = cell.tally.now(clock.nowMicros());
            return cell.tally.resetAfterMicros(longestLived, nowMicros) > 0;
        }
    }

    /** A long subject is kept by its hash, or whoever chooses it would choose how much of the heap it takes. */
    private static String name(String subject) {
        boolean kept = subject.length() <= SubjectHash.LONGEST_BYTES && !SubjectHash.isLike(subject);
        return kept ? subject : SubjectHash.of(subject);
    }

    /** Longer than any algorithm remembers: two windows, or two refills. */
    private static long lifeMicros(Quota quota) {
        return 2 * Math.max(quota.windowMicros(), quota.refillMicros());
    }
}
