package io.ratelimit.internal;

import io.ratelimit.Charge;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
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
                        .map(charge -> new Charge(charge.limit(), charge.subject(), charge.cost() * times))
                        .toList();
    }

    private static long number(String element) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(element.getBytes(StandardCharsets.UTF_8));
            return Math.max(1, ByteBuffer.wrap(digest).getLong() & MASK);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(
                    "this Java platform has no SHA-256, which every platform must have", missing);
        }
    }
}
