package io.ratelimit.spring.internal.rule;

import org.jspecify.annotations.Nullable;

/** Addresses that begin with the same bits. Immutable and thread-safe. */
public final class Network {

    private static final int MAPPED_BITS = 96;

    private final IpAddress address;
    private final int bits;

    private Network(IpAddress address, int bits) {
        this.address = address;
        this.bits = bits;
    }

    /**
     * Returns the network, such as {@code 10.0.0.0/8}, or that of one address; null if the text is neither. A network of
     * IPv4 addresses written as IPv6, such as {@code ::ffff:10.0.0.0/104}, is the one of IPv4.
     */
    public static @Nullable Network parse(String text) {
        int slash = text.indexOf('/');
        String first = slash < 0 ? text : text.substring(0, slash);
        String length = slash < 0 ? "" : text.substring(slash + 1);
        IpAddress address = IpAddress.parse(first);
        if (address == null || (slash >= 0 && !length.matches("\\d{1,3}"))) {
            return null;
        }
        boolean mapped = first.contains(":") && address.bits() < 128;
        int bits = slash < 0 ? address.bits() : Integer.parseInt(length) - (mapped ? MAPPED_BITS : 0);
        return bits < 0 || bits > address.bits() ? null : new Network(address, bits);
    }

    boolean contains(IpAddress other) {
        return other.isWithin(address, bits);
    }

    /** True if they have an address in common. */
    public boolean overlaps(Network other) {
        return address.isWithin(other.address, Math.min(bits, other.bits));
    }

    /** True if all addresses are in it, of IPv4 or of IPv6. */
    public boolean isEverybody() {
        return bits == 0;
    }
}
