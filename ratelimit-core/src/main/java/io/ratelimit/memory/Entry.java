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

    Entry(Tally tally) {
        this.tally = tally;
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
