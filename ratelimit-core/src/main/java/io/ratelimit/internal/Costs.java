package io.ratelimit.internal;

/** Sums and products of costs, which are at least 0; at most the largest number, because limits that only report have no bound. */
public final class Costs {

    private Costs() {}

    public static long sum(long one, long other) {
        long sum = one + other;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    public static long times(long cost, int times) {
        return times > 0 && cost > Long.MAX_VALUE / times ? Long.MAX_VALUE : cost * times;
    }
}
