package io.ratelimit.internal.redis;

import io.ratelimit.redis.BreakerState;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of one Redis node: its round trips, its circuit breaker and its clock. If it has failed, has the master
 * looked for. Thread-safe.
 */
record Node(
        RoundTrips roundTrips,
        SilenceBreaker breaker,
        Clock clock,
        Patience patience,
        Consumer<Boolean> lookForMaster) {

    /**
     * @param patience of all nodes
     * @param lookForMaster is called each time that this may help; with true if the node is a replica; throws nothing
     */
    Node(Patience patience, Consumer<Boolean> lookForMaster) {
        this(new RoundTrips(), new SilenceBreaker(), new Clock(), patience, lookForMaster);
    }

    BreakerState breakerState() {
        return breaker.state();
    }

    void reconnected() {
        breaker.reconnected(System.nanoTime());
    }

    void answered(long sentNanos, long nowNanos) {
        roundTrips.add(sentNanos, nowNanos);
        breaker.answered();
        patience.answered();
    }

    /**
     * Notes that the node gave no answer. A single silence is no reason to look for another master, because Redis may only be
     * slow.
     *
     * @param lost whether there is no connection to it any more
     */
    void unanswered(long sentNanos, long nowNanos, boolean lost) {
        breaker.unanswered(sentNanos, nowNanos);
        patience.unanswered();
        if (lost || breaker.state() != BreakerState.CLOSED) {
            lookForMaster.accept(false);
        }
    }

    /**
     * Notes that the node has answered that it is no master that serves now.
     *
     * @param isReplica whether it is a replica, which accepts no writes
     */
    void isNoMaster(boolean isReplica) {
        lookForMaster.accept(isReplica);
    }

    /**
     * Estimates the store's time from its last reply and the time elapsed here since. No limit is decided by it. It
     * converts deadlines of calls, so that a store that hung does not charge for callers that have timed out. Thread-safe.
     *
     * <p>Each slot has a clock, because a Cluster may redirect its calls to another node than is known here. Until the slot
     * has its first reply, the clock of its node is used, so that the first batch takes one round trip if the node has
     * replied before.
     */
    static final class Clock {

        private static final long LONG_AGO = 1;

        private record Seen(long storeMicros, long atNanos) {}

        private final @Nullable Supplier<Clock> ofNode;
        private volatile Seen last = new Seen(0, 0);

        /** Creates the clock of a node. */
        Clock() {
            this.ofNode = null;
        }

        /** Creates the clock of a slot. */
        Clock(Supplier<Clock> ofNode) {
            this.ofNode = ofNode;
        }

        void saw(long storeMicros) {
            last = new Seen(storeMicros, System.nanoTime());
            if (ofNode != null) {
                ofNode.get().saw(storeMicros);
            }
        }

        /**
         * Returns the store's time that corresponds to a local time. Returns a time long ago if the node has never
         * replied: then the store decides nothing and replies with its time, and the batch is repeated. So the first call
         * is also protected from being charged late.
         */
        long microsAt(long nanos) {
            Seen seen = last;
            if (seen.storeMicros == 0) {
                return ofNode == null ? LONG_AGO : ofNode.get().microsAt(nanos);
            }
            return seen.storeMicros + (nanos - seen.atNanos) / 1_000;
        }
    }
}
