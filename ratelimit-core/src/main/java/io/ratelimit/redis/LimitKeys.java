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
    private final boolean ofBans;
    private @Nullable BatchKey last;

    /** @param ofBans whether these are the keys of bans, not those of states */
    LimitKeys(LimitId id, boolean ofBans) {
        this.id = id;
        this.ofBans = ofBans;
    }

    /** Returns the name of the fragment that reads and writes the keys. */
    String fragment() {
        return ofBans ? EngineScript.BAN : id.algorithm().label();
    }

    String key(StateKeyFormat stateKeys, BatchKey state) {
        String key = stateKeys.key(state.charge);
        return ofBans ? StateKeyFormat.banKey(key) : key;
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
