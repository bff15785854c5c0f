package io.ratelimit.redis;

import io.ratelimit.Charge;
import java.util.ArrayList;
import java.util.List;

/** The state of one limit for one subject: one of a batch's keys. Not thread-safe. */
final class BatchKey {

    /** The first charge of this state. */
    final Charge charge;

    /** The entries whose first charge is of this state. */
    final List<BatchEntry> groups = new ArrayList<>(1);

    /** The index of the key in the batch, counted from 1; 0 until the batch is complete. */
    int index;

    BatchKey(Charge charge) {
        this.charge = charge;
    }
}
