package io.ratelimit.internal.redis;

import io.ratelimit.Charge;
import io.ratelimit.Limit;
import io.ratelimit.internal.call.Bans;
import io.ratelimit.internal.call.LimitId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Calls that are sent together. It contains each key once, and calls with equal charges as one entry with a count.
 * Not thread-safe.
 */
final class Batch {

    final List<PendingCall> calls;

    /** The entries in the order of the request and the reply. */
    final List<BatchEntry> entries = new ArrayList<>();

    /**
     * The limits in the order of their keys. Those of which only some bytes are written come first, because that needs
     * further rights in Redis.
     */
    final List<Keys> limits = new ArrayList<>();

    private final Map<LimitId, Keys> limitsById = new HashMap<>();
    private final Map<LimitId, Keys> bansById = new HashMap<>(0);
    private @Nullable Limit lastLimit;
    private @Nullable Keys lastKeys;
    private int size;

    Batch(List<PendingCall> calls) {
        this.calls = calls;
        calls.forEach(this::add);
        limits.sort(Comparator.comparing(limit -> !EngineScript.WRITING_BYTES.contains(limit.fragment())));
        limits.addAll(bansById.values());
        for (Keys limit : limits) {
            for (Key key : limit.keys) {
                key.index = ++size;
            }
        }
    }

    /** Returns the number of keys. */
    int size() {
        return size;
    }

    /** Returns whether it is one settlement that is made later, which has time. */
    boolean isOneLate() {
        return calls.size() == 1 && calls.get(0).isLate();
    }

    /** Returns the names of the fragments that decide the batch, in order. */
    SortedSet<String> fragments() {
        SortedSet<String> fragments = new TreeSet<>();
        limits.forEach(limit -> fragments.add(limit.fragment()));
        return fragments;
    }

    /** Returns until when Redis may decide all calls if they are sent now. */
    long decidedUntilNanos() {
        long earliest = calls.get(0).decidedUntilNanos();
        for (PendingCall call : calls) {
            long until = call.decidedUntilNanos();
            if (until - earliest < 0) { // a difference, because System.nanoTime() may overflow
                earliest = until;
            }
        }
        return earliest;
    }

    String[] keys(StateKeyFormat stateKeys) {
        String[] keys = new String[size];
        limits.forEach(limit -> limit.keys.forEach(key -> keys[key.index - 1] = limit.redisKey(stateKeys, key)));
        return keys;
    }

    private void add(PendingCall call) {
        Key[] keys = new Key[call.charges.size()];
        for (int i = 0; i < keys.length; i++) {
            Charge charge = call.charges.get(i);
            keys[i] = keysOf(charge.limit()).keyOf(charge);
        }
        for (BatchEntry entry : keys[0].entries) {
            if (entry.matches(keys, call)) {
                entry.calls.add(call);
                return;
            }
        }
        BatchEntry entry = new BatchEntry(keys, bans(call), call);
        keys[0].entries.add(entry);
        entries.add(entry);
    }

    /** Returns the key of the ban of each charge, null where its limit has none; null if none of them has. */
    private @Nullable Key @Nullable [] bans(PendingCall call) {
        if (call.operation.changesOnly() || !Bans.areIn(call.charges)) {
            return null;
        }
        @Nullable Key[] bans = new Key[call.charges.size()];
        for (int i = 0; i < bans.length; i++) {
            Charge charge = call.charges.get(i);
            if (charge.limit().ban().isPresent()) {
                bans[i] = bansById.computeIfAbsent(LimitId.of(charge.limit()), id -> new Keys(id, true))
                        .keyOf(charge);
            }
        }
        return bans;
    }

    private Keys keysOf(Limit limit) {
        if (lastKeys == null || !limit.equals(lastLimit)) { // calls of one limit mostly come one after the other
            lastLimit = limit;
            lastKeys = limitsById.computeIfAbsent(LimitId.of(limit), id -> {
                Keys keys = new Keys(id, false);
                limits.add(keys);
                return keys;
            });
        }
        return lastKeys;
    }

    /** A key of a batch: that of the state, or of the ban, of one limit for one subject. Not thread-safe. */
    static final class Key {

        /** The first charge with this key. */
        final Charge charge;

        /** The entries whose first charge has this key. */
        final List<BatchEntry> entries = new ArrayList<>(1);

        /** The index of the key in the batch, counted from 1; 0 until the batch is complete. */
        int index;

        Key(Charge charge) {
            this.charge = charge;
        }
    }

    /** The keys of a batch that belong to one limit, in the order of the request. Not thread-safe. */
    static final class Keys {

        final LimitId id;
        final List<Key> keys = new ArrayList<>();
        private final Map<String, Key> bySubject = new HashMap<>();
        private final boolean ofBans;
        private @Nullable Key last;

        /** @param ofBans whether these are the keys of bans instead of states */
        Keys(LimitId id, boolean ofBans) {
            this.id = id;
            this.ofBans = ofBans;
        }

        /** Returns the name of the fragment that reads and writes the keys. */
        String fragment() {
            if (ofBans) {
                return EngineScript.BAN;
            }
            if (ofPeriods()) {
                return EngineScript.CALENDAR;
            }
            return id.window().buckets() > 1
                    ? EngineScript.PARTS
                    : id.algorithm().label();
        }

        /** Returns whether these are the keys of states whose windows are periods of a calendar. */
        boolean ofPeriods() {
            return !ofBans && id.window().period().isPresent();
        }

        String redisKey(StateKeyFormat stateKeys, Key key) {
            String stateKey = stateKeys.key(key.charge);
            return ofBans ? StateKeyFormat.banKey(stateKey) : stateKey;
        }

        /** Returns the key of the charge's limit and subject. Adds it to the batch if it is new. */
        Key keyOf(Charge charge) {
            if (last == null || !last.charge.subject().equals(charge.subject())) {
                last = bySubject.computeIfAbsent(charge.subject(), unknown -> {
                    Key key = new Key(charge);
                    keys.add(key);
                    return key;
                });
            }
            return last;
        }
    }
}
