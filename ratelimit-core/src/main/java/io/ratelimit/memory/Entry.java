package io.ratelimit.memory;

import io.ratelimit.algorithm.Tally;

/** A subject's tally in a {@link SubjectCache}, and its lock. All fields are guarded by the entry itself. */
final class Entry {

    final Tally tally;

    /** True once the cache has removed this entry. A thread that holds it must look the subject up again. */
    boolean retired;

    Entry(Tally tally) {
        this.tally = tally;
    }
}
