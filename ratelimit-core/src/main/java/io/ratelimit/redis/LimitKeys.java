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
    final List<BatchKey> keys = new ArrayList<>();
    private final Map<String, BatchKey> bySubject = new HashMap<>();
    private final boolean ofBans;
    private @Nullable BatchKey last;

    /** @param ofBans whether these are the keys of bans instead of states */
    LimitKeys(LimitId id, boolean ofBans) {
        this.id = id;
        this.ofBans = ofBans;
    }

    /** Returns the name of the fragment that reads and writes the keys. */
    String fragment() {
        return ofBans ? EngineScript.BAN : id.algorithm().label();
    }

    String redisKey(StateKeyFormat stateKeys, BatchKey key) {
        String stateKey = stateKeys.key(key.charge);
        return ofBans ? StateKeyFormat.banKey(stateKey) : stateKey;
    }

    /** Returns the key of the charge's limit and subject. Adds it to the batch if it is new. */
    BatchKey keyOf(Charge charge) {
        if (last == null || !last.charge.subject().equals(charge.subject())) {
            last = bySubject.computeIfAbsent(charge.subject(), unknown -> {
                BatchKey key = new BatchKey(charge);
                keys.add(key);
                return key;
            });
        }
        return last;
    }
}
