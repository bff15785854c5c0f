package io.ratelimit.internal;

import java.math.BigInteger;

/**
 * Computes {@code a * b / divisor} in whole numbers, exactly even if the product needs more than 63 bits. The values
 * must not be negative and the divisor must be positive.
 */
public final class MulDiv {

    private MulDiv() {}

    /** Returns {@code a * b / divisor}, rounded down. */
    public static long floorDiv(long a, long b, long divisor) {
        return floorDiv(a, b, 0, divisor);
    }

    /** Returns {@code (a * b + more) / divisor}, rounded down. */
    public static long floorDiv(long a, long b, long more, long divisor) {
        long product = a * b;
        if (product >= 0 && product + more >= 0 && Math.multiplyHigh(a, b) == 0) {
            return (product + more) / divisor;
        }
        return BigInteger.valueOf(a)
                .multiply(BigInteger.valueOf(b))
                .add(BigInteger.valueOf(more))
                .divide(BigInteger.valueOf(divisor))
                .longValueExact();
    }

    /**
     * Returns {@code a * b} modulo {@code divisor}. Both products wrap alike, so their difference is exact in a long.
     */
    public static long remainder(long a, long b, long divisor) {
        return a * b - floorDiv(a, b, divisor) * divisor;
    }

    /** Returns {@code a * b / divisor}, rounded up. */
    public static long ceilDiv(long a, long b, long divisor) {
        return floorDiv(a, b, divisor) + (remainder(a, b, divisor) == 0 ? 0 : 1);
    }

    /** Returns one of {@code parts} numbers that add up to the whole, of which the first are larger by one if it does not divide evenly. */
    public static long share(long whole, int index, int parts) {
        return whole / parts + (index < whole % parts ? 1 : 0);
    }
}
