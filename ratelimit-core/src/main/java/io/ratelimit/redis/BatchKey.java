package io.ratelimit.redis;

import io.ratelimit.Charge;
import java.util.ArrayList;
import java.util.List;

/** The state of one limit for one subject: one of a batch's keys. Not thread-safe. */
final class BatchKey {

    /** The first that asked for it. */
    final Charge charge;

    /** Those whose first charge is of it. */
    final List<BatchEntry> groups = new ArrayList<>(1);

    /** Of its key in the batch, counted from 1; 0 until all are known. */
    int index;

    BatchKey(Charge charge) {
        this.charge = charge;
    }
}
