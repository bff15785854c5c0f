package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.internal.LimitId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The keys of a batch that belong to one limit, in their order. Not thread-safe. */
final class LimitKeys {

    final LimitId id;
    final List<BatchKey> states = new ArrayList<>();
    private final Map<String, BatchKey> bySubject = new HashMap<>();

    LimitKeys(LimitId id) {
        this.id = id;
    }

    BatchKey state(Charge charge) {
        return bySubject.computeIfAbsent(charge.subject(), unknown -> {
            BatchKey state = new BatchKey(charge);
            states.add(state);
            return state;
        });
    }
}
