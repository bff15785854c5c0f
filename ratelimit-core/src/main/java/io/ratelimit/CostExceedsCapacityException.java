package io.ratelimit;

/** Thrown if a call costs more than its limit can ever admit at once, so that waiting would not help. */
public final class CostExceedsCapacityException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String limitName;
    private final long cost;

    /** Says that a call of that cost never fits the limit. */
    public CostExceedsCapacityException(Limit limit, long cost) {
        super(limit.shards() == 1 ? aboveCapacity(limit, cost) : aboveShard(limit, cost));
        this.limitName = limit.name();
        this.cost = cost;
    }

    private CostExceedsCapacityException(String message, String limitName, long cost) {
        super(message);
        this.limitName = limitName;
        this.cost = cost;
    }

    /** Returns the same failure under another name of the limit, such as one that clients may see. */
    public CostExceedsCapacityException withLimitName(String name) {
        String message = String.valueOf(getMessage()).replace("'" + limitName + "'", "'" + name + "'");
        return new CostExceedsCapacityException(message, name, cost);
    }

    private static String aboveCapacity(Limit limit, long cost) {
        return "cost '%d' can never fit limit '%s', whose capacity is %d: lower the cost or raise %s"
                .formatted(
                        cost, limit.name(), limit.capacity(), limit.algorithm().hasBurst() ? "burst" : "max-requests");
    }

    private static String aboveShard(Limit limit, long cost) {
        return "cost '%d' can never fit limit '%s', whose %d shards hold %d each: lower the cost or shards"
                .formatted(cost, limit.name(), limit.shards(), limit.largestCost());
    }

    /** Returns the name of the limit that the cost can never fit. */
    public String limitName() {
        return limitName;
    }

    /** Returns the cost, including what the same call charges to the same state before. */
    public long cost() {
        return cost;
    }
}
