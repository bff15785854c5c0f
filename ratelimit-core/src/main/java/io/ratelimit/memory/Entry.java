package io.ratelimit.memory;

import io.ratelimit.internal.algorithm.BanRecord;
import io.ratelimit.internal.algorithm.Tally;
import org.jspecify.annotations.Nullable;

/** A subject's tally in a {@link SubjectCache}, and its lock. All fields are guarded by the entry itself. */
final class Entry {

    Tally tally;

    /** Refusals and bans; null until the subject was refused by a limit with a ban. */
    @Nullable
    BanRecord bans;

    /** True once the cache has removed this entry. A thread that holds it must look the subject up again. */
    boolean retired;

    /** Until when the subject is banned, or counts to the last of a quota that it has used up. */
    long heldUntilMicros = Long.MIN_VALUE;

    Entry(Tally tally) {
        this.tally = tally;
    }

    /** Creates the successor of a retired entry, with its counts. */
    Entry(Entry retired) {
        this.tally = retired.tally;
        this.bans = retired.bans;
        this.heldUntilMicros = retired.heldUntilMicros;
    }

    void holdUntil(long micros) {
        heldUntilMicros = Math.max(heldUntilMicros, micros);
    }

    /** Returns whether the subject is refused, banned, or has nothing left. */
    synchronized boolean isHeld(long nowMicros) {
        return heldUntilMicros > nowMicros;
    }

    synchronized boolean isRetired() {
        return retired;
    }

    BanRecord bans() {
        BanRecord known = bans;
        if (known == null) {
            known = new BanRecord();
            bans = known;
        }
        return known;
    }
}
