package io.ratelimit.spring.key;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An address from text, without ever asking a name server. Strict: what may mean one address here and another one
 * elsewhere ({@code 127.1}, {@code 010.0.0.1}) is none. Immutable.
 */
final class IpAddress {

    private static final Pattern V4 = Pattern.compile("((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(?!$)|$)){4}");
    private static final Pattern V6 = Pattern.compile("[0-9A-Fa-f:.]{2,45}");
    private static final int SUBSCRIBER_BYTES = 8;

    private final byte[] bytes;

    private IpAddress(byte[] bytes) {
        this.bytes = bytes;
    }

    /** The address; null if the text is none. A zone id is cut off. */
    static @Nullable IpAddress parse(String text) {
        String bare = text.contains(":") && text.contains("%") ? text.substring(0, text.indexOf('%')) : text;
        boolean literal = bare.contains(":")
                ? V6.matcher(bare).matches()
                : V4.matcher(bare).matches();
        if (!literal) {
            return null;
        }
        try {
            return new IpAddress(InetAddress.getByName(bare.contains(":") ? "[" + bare + "]" : bare)
                    .getAddress());
        } catch (UnknownHostException malformed) {
            return null;
        }
    }

    /** Whether the first {@code bits} are those of {@code network}. */
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

    int bits() {
        return bytes.length * 8;
    }

    /** As it is counted: an IPv6 subscriber has a whole /64, so all of it is one. */
    String counted() {
        try {
            if (bytes.length == 4) {
                return InetAddress.getByAddress(bytes).getHostAddress();
            }
            byte[] network = Arrays.copyOf(Arrays.copyOf(bytes, SUBSCRIBER_BYTES), bytes.length);
            return InetAddress.getByAddress(network).getHostAddress() + "/64";
        } catch (UnknownHostException impossible) {
            throw new IllegalStateException("an address has 4 or 16 bytes, not " + bytes.length, impossible);
        }
    }
}
