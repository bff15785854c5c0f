package io.ratelimit.spring.internal.rule;

import io.ratelimit.Limit;

/** Why a call was counted otherwise than configured. */
public enum Unresolved {
    /** There was no valid actual cost, so the estimate stays charged. */
    ACTUAL_COST,
    /** The store failed when the call ended, so the estimate stays charged and a slot is free after the window. */
    STORE,
    /** The call named no element, so the client's address is counted; or several of one subject, so the first is. */
    ELEMENT;

    /** Receives each such call, for metrics. Implementations must be thread-safe. */
    @FunctionalInterface
    public interface Listener {
        /** Called once for each limit that the call was charged to. */
        void onUnresolved(Limit limit, Unresolved reason);
    }
}
