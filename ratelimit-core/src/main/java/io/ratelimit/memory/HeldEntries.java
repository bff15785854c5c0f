package io.ratelimit.memory;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Entries that left a {@link SubjectCache} while their subjects are refused or banned, or have used up their quota. Thread-safe.
 *
 * <p>Bounded by the heap that they take, about 200 bytes for each beside its counts. When there is no more room, further ones
 * are not held, so that nobody's made-up subjects push out what is. An entry keeps its place while its subject is in the cache
 * again.
 */
final class HeldEntries {

    private static final long BYTES_OF_ENTRY = 200;
    private static final long SECOND_MICROS = 1_000_000;

    private record Held(Entry entry, long bytes) {}

    private final ConcurrentHashMap<String, Held> entries = new ConcurrentHashMap<>();
    private final AtomicLong bytes = new AtomicLong();
    private final long mostBytes;
    private final AtomicLong lookedThroughMicros = new AtomicLong(Long.MIN_VALUE);

    HeldEntries(long mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Returns how many bytes of the heap an entry takes, whose lock the caller has. */
    static long bytes(String name, Entry entry) {
        return BYTES_OF_ENTRY + name.length() + entry.tally.heapBytes();
    }

    /** Holds an entry if there is room, or in the room that it had until now. The caller has no lock of an entry. */
    void offer(String name, Entry entry, long itsBytes, long nowMicros) {
        long had = remove(name);
        makeRoom(itsBytes, nowMicros);
        if (itsBytes <= had || bytes.get() + itsBytes <= mostBytes) {
            put(name, entry, itsBytes);
        }
    }

    /** Holds an entry even if there is no room. The caller has no lock of an entry. */
    void hold(String name, Entry entry, long itsBytes, long nowMicros) {
        remove(name);
        makeRoom(itsBytes, nowMicros);
        put(name, entry, itsBytes);
    }

    private void makeRoom(long itsBytes, long nowMicros) {
        if (bytes.get() + itsBytes > mostBytes && mayLookThrough(nowMicros)) {
            removeThoseOver(nowMicros);
        }
    }

    private void put(String name, Entry entry, long itsBytes) {
        entries.put(name, new Held(entry, itsBytes));
        bytes.addAndGet(itsBytes);
    }

    /** Returns the successor of a held entry, which has its counts; null if it is not held. */
    @Nullable
    Entry successor(String name) {
        Held held = entries.get(name);
        if (held == null) {
            return null;
        }
        Entry successor = new Entry(held.entry);
        entries.replace(name, held, new Held(successor, held.bytes));
        return successor;
    }

    /** Returns how many bytes it took; 0 if it was not held. */
    long remove(String name) {
        Held held = entries.remove(name);
        if (held == null) {
            return 0;
        }
        bytes.addAndGet(-held.bytes);
        return held.bytes;
    }

    Set<String> names() {
        return entries.keySet();
    }

    /** Returns how many entries are held that are not in the cache, and releases those that matter no more. */
    long outsideOfCache(long nowMicros) {
        removeThoseOver(nowMicros);
        return entries.values().stream().filter(held -> held.entry.isRetired()).count();
    }

    /** Returns true once a second, because looking through all entries takes some ms. */
    private boolean mayLookThrough(long nowMicros) {
        long last = lookedThroughMicros.get();
        boolean isTime = last == Long.MIN_VALUE || Math.abs(nowMicros - last) >= SECOND_MICROS;
        return isTime && lookedThroughMicros.compareAndSet(last, nowMicros);
    }

    private void removeThoseOver(long nowMicros) {
        entries.forEach((name, held) -> {
            if (!held.entry.isHeld(nowMicros) && entries.remove(name, held)) {
                bytes.addAndGet(-held.bytes);
            }
        });
    }
}
