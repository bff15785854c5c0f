package io.ratelimit.spring.internal.live;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Keeps the overrides of this instance alone. Thread-safe. */
final class OverridesInMemory implements OverrideStore {

    private final InstantSource clock;
    private final Map<String, LimitOverride> overrides = new TreeMap<>();

    OverridesInMemory(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public boolean isShared() {
        return false;
    }

    @Override
    public synchronized CompletionStage<Kept> read() {
        Instant now = clock.instant();
        overrides.values().removeIf(override -> !override.until().isAfter(now));
        return CompletableFuture.completedFuture(new Kept(now, List.copyOf(overrides.values())));
    }

    @Override
    public synchronized CompletionStage<Kept> begin(
            String limit, long maxRequests, @Nullable Long burst, Duration lasting) {
        overrides.put(
                limit,
                new LimitOverride(limit, maxRequests, burst, clock.instant().plus(lasting)));
        return read();
    }

    @Override
    public synchronized CompletionStage<Kept> lift(String limit) {
        overrides.remove(limit);
        return read();
    }
}
