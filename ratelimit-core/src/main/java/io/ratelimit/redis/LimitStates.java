package io.ratelimit.redis;

import io.ratelimit.Charge;
import io.ratelimit.Limit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All that a batch asks of one limit, in the order of the keys. Not thread-safe. */
final class LimitStates {

    final Limit limit;
    final List<State> states = new ArrayList<>();
    private final Map<String, State> bySubject = new HashMap<>();

    LimitStates(Limit limit) {
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

    State state(Charge charge) {
        State known = bySubject.get(charge.subject());
        if (known != null) {
            return known;
        }
        State state = new State(charge);
        states.add(state);
        bySubject.put(charge.subject(), state);
        return state;
    }
}
