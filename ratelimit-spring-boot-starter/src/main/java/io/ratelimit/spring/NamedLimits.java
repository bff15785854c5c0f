package io.ratelimit.spring;

import java.util.List;

/**
 * The limits and the cost of a gateway route's {@code RequestRateLimiter}. Written as arguments of the filter, {@code
 * ratelimit.limits} and {@code ratelimit.cost}, or in code:
 *
 * <pre>{@code
 * filter.requestRateLimiter().rateLimiter(NamedLimits.class, named -> named.setLimits(List.of("burst", "hourly")))
 * }</pre>
 */
public final class NamedLimits {

    private List<String> limits = List.of("default");
    private long cost = 1;

    /** Returns the names of limits, all of which are one decision. */
    public List<String> getLimits() {
        return limits;
    }

    public void setLimits(List<String> limits) {
        this.limits = List.copyOf(limits);
    }

    /** Returns the number of requests that one request counts as. */
    public long getCost() {
        return cost;
    }

    public void setCost(long cost) {
        this.cost = cost;
    }
}
