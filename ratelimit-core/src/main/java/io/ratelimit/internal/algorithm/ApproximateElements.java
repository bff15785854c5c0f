package io.ratelimit.internal.algorithm;

/**
 * Counts elements without keeping them, in 12 KB whatever their number: 16,384 registers of 6 bits, as in a HyperLogLog.
 * An element belongs to one register and has a rank there: r for one of 2^r elements. A register keeps the highest rank.
 *
 * <p>An element that would change no register is taken for one that is counted already. Of the first hundred new elements
 * hardly any is, of those after 10,000 nearly a third, and at 1,000,000 99 of 100.
 *
 * <p>An element that changes a register stands for all those that were new since the last one and changed none. Of the 2^53
 * numbers of elements, {@code changing} would change a register. So one that does stands for 2^53 / {@code changing}, which
 * is 1 for the first. The sum is right on average, and its standard error is 0.65%, less than Redis' own PFCOUNT has
 * (0.81%). Sources: Flajolet et al., "HyperLogLog" (2007); Ting, "Streamed approximate counting of distinct elements"
 * (2014).
 */
final class ApproximateElements implements Elements {

    private static final int REGISTERS = 1 << 14;
    private static final int HIGHEST_RANK = 39;
    private static final long NUMBERS = 1L << 53;

    private byte[] ranks = {};
    private double count;
    private long changing = NUMBERS;

    @Override
    public boolean contains(long element) {
        return count > 0 && ranks[register(element)] >= rank(element);
    }

    @Override
    public void add(long element) {
        if (contains(element)) {
            return;
        }
        if (count == 0) {
            ranks = new byte[REGISTERS];
        }
        int register = register(element);
        count += (double) NUMBERS / changing;
        changing -= changingAt(ranks[register]);
        ranks[register] = rank(element);
        changing += changingAt(ranks[register]);
    }

    @Override
    public long size() {
        return (long) count;
    }

    @Override
    public void clear() {
        ranks = new byte[0];
        count = 0;
        changing = NUMBERS;
    }

    @Override
    public long heapBytes() {
        return 60L + ranks.length;
    }

    /** Returns how many numbers of elements would change a register of that rank. */
    private static long changingAt(int rank) {
        return 1L << (HIGHEST_RANK - rank);
    }

    private static int register(long element) {
        return (int) (element % REGISTERS);
    }

    private static byte rank(long element) {
        return (byte) (1 + Math.min(Long.numberOfTrailingZeros(element / REGISTERS), HIGHEST_RANK - 1));
    }
}
