package io.ratelimit.redis;

import io.ratelimit.Charge;
import java.util.ArrayList;
import java.util.List;

/** A key of a batch: that of the state, or of the ban, of one limit for one subject. Not thread-safe. */
final class BatchKey {

    /** The first charge with this key. */
    final Charge charge;

    /** The entries whose first charge has this key. */
    final List<BatchEntry> entries = new ArrayList<>(1);

    /** The index of the key in the batch, counted from 1; 0 until the batch is complete. */
    int index;

    BatchKey(Charge charge) {
        this.charge = charge;
    }
}
