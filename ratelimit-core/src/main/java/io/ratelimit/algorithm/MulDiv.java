package io.ratelimit.algorithm;

import java.math.BigInteger;

/** {@code a * b / divisor} in whole numbers, right also where the product passes 63 bits. For values of 0 and above. */
final class MulDiv {

    private MulDiv() {}

    static long floorDiv(long a, long b, long divisor) {
        return floorDiv(a, b, 0, divisor);
    }

    /** {@code (a * b + more) / divisor}. */
    static long floorDiv(long a, long b, long more, long divisor) {
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

    /** What {@link #floorDiv} leaves over; wrapping products cancel, so it needs no wider type. */
    static long remainder(long a, long b, long divisor) {
        return a * b - floorDiv(a, b, divisor) * divisor;
    }

    static long ceilDiv(long a, long b, long divisor) {
        return floorDiv(a, b, divisor) + (remainder(a, b, divisor) == 0 ? 0 : 1);
    }
}
