package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.internal.LimitId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The keys of a batch that belong to one limit, in the order of the request. Not thread-safe. */
final class LimitKeys {

    final LimitId id;
    final List<BatchKey> states = new ArrayList<>();
    private final Map<String, BatchKey> bySubject = new HashMap<>();
    private @Nullable BatchKey last;

    LimitKeys(LimitId id) {
        this.id = id;
    }

    BatchKey state(Charge charge) {
        if (last == null || !last.charge.subject().equals(charge.subject())) {
            last = bySubject.computeIfAbsent(charge.subject(), unknown -> {
                BatchKey state = new BatchKey(charge);
                states.add(state);
                return state;
            });
        }
        return last;
    }
}
