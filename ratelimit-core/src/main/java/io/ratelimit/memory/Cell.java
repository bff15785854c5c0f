package io.ratelimit.memory;

import io.ratelimit.algorithm.Tally;

/** A subject's tally in a {@link Table}, and its lock. All fields are guarded by the cell itself. */
final class Cell {

    final Tally tally;

    /** The table has let go of this cell: look the subject up again. */
    boolean retired;

    Cell(Tally tally) {
        this.tally = tally;
    }
}
