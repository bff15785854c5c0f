package io.ratelimit.stack;

import io.ratelimit.redis.BreakerState;
import java.util.Map;

/**
 * What a stack holds at one moment, for metrics and health checks. Immutable and thread-safe. It contains no subject.
 *
 * @param breakers the circuit breaker of each Redis node that was called, by the node's id; empty in memory
 * @param subjects subjects of all limits that are counted in this process's memory; on Redis those of the policy {@code
 *     LOCAL}
 * @param leases subjects that this instance holds a lease for
 * @param refusals refusals that are repeated without asking Redis
 * @param waiting calls that wait for quota
 */
public record StackState(Map<String, BreakerState> breakers, long subjects, long leases, long refusals, long waiting) {

    public StackState {
        breakers = Map.copyOf(breakers);
    }
}
