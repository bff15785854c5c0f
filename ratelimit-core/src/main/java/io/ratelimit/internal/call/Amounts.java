package io.ratelimit.internal.call;

import io.ratelimit.Charge;
import io.ratelimit.internal.Costs;
import io.ratelimit.internal.SubjectHash;
import java.nio.ByteBuffer;
import java.util.List;

/** Converts a charge to the number that an algorithm counts: its cost, or a hash of its element. */
public final class Amounts {

    /** Numbers up to 2^53 are exact in Lua; two of 100,000 elements share one with a probability of 1 in 1,800,000. */
    private static final long MASK = (1L << 53) - 1;

    private Amounts() {}

    public static long of(Charge charge) {
        return charge.element().isEmpty()
                ? charge.cost()
                : number(charge.element().get());
    }

    /** Returns the charges of an acquisition that is taken so many times. */
    public static List<Charge> times(List<Charge> charges, int times) {
        return times == 1
                ? charges
                : charges.stream()
                        .map(charge -> new Charge(charge.limit(), charge.subject(), Costs.times(charge.cost(), times)))
                        .toList();
    }

    private static long number(String element) {
        return Math.max(1, ByteBuffer.wrap(SubjectHash.sha256(element)).getLong() & MASK);
    }
}
