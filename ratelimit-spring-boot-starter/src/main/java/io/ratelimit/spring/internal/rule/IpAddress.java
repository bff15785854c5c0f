package io.ratelimit.spring.internal.rule;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An address parsed from text, without a name server. Spellings that mean different addresses to different parsers
 * ({@code 127.1}, {@code 010.0.0.1}) are not accepted. Immutable.
 */
final class IpAddress {

    /** With the characters that RFC 6874 gives a zone id. */
    private static final Pattern V6 = Pattern.compile("([0-9A-Fa-f:.]{2,45})(?:%[0-9A-Za-z._~-]+)?");

    /** 64:ff9b::/96, the prefix of RFC 6052 in front of an IPv4 address. */
    private static final IpAddress NAT64 =
            new IpAddress(new byte[] {0, 0x64, (byte) 0xff, (byte) 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});

    private static final int NAT64_BITS = 96;

    private final byte[] bytes;

    private IpAddress(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns the address, without a zone id; null if the text is not an address. */
    static @Nullable IpAddress parse(String text) {
        if (!text.contains(":")) {
            byte[] v4 = v4(text);
            return v4 == null ? null : new IpAddress(v4);
        }
        Matcher v6 = V6.matcher(text);
        if (!v6.matches()) {
            return null;
        }
        try {
            return new IpAddress(InetAddress.getByName("[" + v6.group(1) + "]").getAddress());
        } catch (UnknownHostException malformed) {
            return null;
        }
    }

    /** Parses four numbers without leading zeros by hand, because nearly every request needs it. */
    private static byte @Nullable [] v4(String text) {
        byte[] bytes = new byte[4];
        int position = 0;
        for (int i = 0; i < bytes.length; i++) {
            int end = i < bytes.length - 1 ? text.indexOf('.', position) : text.length();
            int octet = octet(text, position, end);
            if (octet < 0) {
                return null;
            }
            bytes[i] = (byte) octet;
            position = end + 1;
        }
        return bytes;
    }

    /** Returns the number from 0 to 255 at that place; -1 if there is none. */
    private static int octet(String text, int from, int to) {
        int length = to - from;
        if (length < 1 || length > 3 || (length > 1 && text.charAt(from) == '0')) {
            return -1;
        }
        int octet = 0;
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            octet = 10 * octet + (c - '0');
        }
        return octet > 255 ? -1 : octet;
    }

    /** True if the first {@code bits} are those of {@code network}. */
    boolean isWithin(IpAddress network, int bits) {
        if (bytes.length != network.bytes.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit++) {
            int mask = 0x80 >> (bit % 8);
            if ((bytes[bit / 8] & mask) != (network.bytes[bit / 8] & mask)) {
                return false;
            }
        }
        return true;
    }

    private byte[] network(int prefixLength) {
        byte[] network = bytes.clone();
        for (int bit = prefixLength; bit < bits(); bit++) {
            network[bit / 8] &= (byte) ~(0x80 >> (bit % 8));
        }
        return network;
    }

    /** Returns the IPv4 address that it holds behind the prefix of RFC 6052; itself if it holds none. */
    IpAddress withoutNat64() {
        return isWithin(NAT64, NAT64_BITS)
                ? new IpAddress(Arrays.copyOfRange(bytes, NAT64_BITS / 8, bytes.length))
                : this;
    }

    int bits() {
        return bytes.length * 8;
    }

    /**
     * Returns the address as it is counted: IPv6 by its network, and an embedded IPv4 address by itself.
     *
     * @param prefixLength bits of an IPv6 address that one subscriber has
     */
    String counted(int prefixLength) {
        IpAddress plain = withoutNat64();
        return plain.bytes.length == 4 ? plain.toString() : new IpAddress(network(prefixLength)) + "/" + prefixLength;
    }

    /** Returns the whole address. */
    @Override
    public String toString() {
        try {
            return InetAddress.getByAddress(bytes).getHostAddress();
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException("an address has 4 or 16 bytes, not " + bytes.length, impossible);
        }
    }
}
