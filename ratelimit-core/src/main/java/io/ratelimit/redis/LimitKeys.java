package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.Limit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All that a batch asks of one limit, in the order of the keys. Not thread-safe. */
final class LimitKeys {

    final Limit limit;
    final List<BatchKey> states = new ArrayList<>();
    private final Map<String, BatchKey> bySubject = new HashMap<>();

    LimitKeys(Limit limit) {
        this.limit = limit;
    }

    /** Whether that limit counts in the same keys, by whatever numbers. */
    boolean isOf(Limit other) {
        return limit.algorithm() == other.algorithm() && limit.name().equals(other.name());
    }

    /** Whether that limit counts by the same numbers: a state is opened under one set of numbers only. */
    boolean agreesWith(Limit other) {
        return limit.quota().equals(other.quota());
    }

    BatchKey state(Charge charge) {
        BatchKey known = bySubject.get(charge.subject());
        if (known != null) {
            return known;
        }
        BatchKey state = new BatchKey(charge);
        states.add(state);
        bySubject.put(charge.subject(), state);
        return state;
    }
}
