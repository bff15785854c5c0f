package io.ratelimit.spring.internal.live;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Keeps overrides until they end. Thread-safe. Stages fail with {@link io.ratelimit.StoreUnavailableException}. */
public interface OverrideStore {

    /**
     * The overrides of all limits at one moment.
     *
     * @param at by the store's clock
     */
    record Kept(Instant at, List<LimitOverride> overrides) {
        public Kept {
            overrides = List.copyOf(overrides);
        }
    }

    /** Returns whether other instances have the same overrides. */
    boolean isShared();

    /** Returns all overrides that are in force. */
    CompletionStage<Kept> read();

    /** Begins the override of a limit, or replaces the one it has, and returns all that are in force then. */
    CompletionStage<Kept> begin(String limit, long maxRequests, @Nullable Long burst, Duration lasting);

    /** Ends the override of a limit, if there is one, and returns all that are in force then. */
    CompletionStage<Kept> lift(String limit);
}
