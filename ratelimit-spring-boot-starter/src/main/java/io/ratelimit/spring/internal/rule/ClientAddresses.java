package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the client's address behind trusted proxies. Forwarding headers are read from the right, because each proxy
 * appends the address it saw, and only as far as trusted proxies wrote them. If both {@code Forwarded} and
 * {@code X-Forwarded-For} exist and disagree, the client wrote one of them and neither is believed. Immutable and
 * thread-safe.
 */
public final class ClientAddresses {

    /** The subject of all connections without an address, such as those of a Unix socket. */
    public static final String UNKNOWN = "unknown";

    private final List<Network> trusted;
    private final int ipv6PrefixLength;

    /**
     * Trusts these networks.
     *
     * @param ipv6PrefixLength bits of an IPv6 address that one subscriber has
     * @throws InvalidRateLimitException if one is not in CIDR notation
     */
    public ClientAddresses(List<String> trustedProxies, int ipv6PrefixLength) {
        this.ipv6PrefixLength = ipv6PrefixLength;
        this.trusted = trustedProxies.stream().map(ClientAddresses::network).toList();
    }

    /**
     * The address as it is counted, an IPv6 address by its network.
     *
     * @param peer address of the connection; null or not an address if the server does not know it
     * @param headers returns all values of a header; not called unless the peer is a trusted proxy
     */
    public String find(@Nullable String peer, Function<String, List<String>> headers) {
        List<String> counted = resolve(peer, headers).stream()
                .map(address -> address.counted(ipv6PrefixLength))
                .toList();
        return counted.isEmpty()
                ? UNKNOWN
                : counted.size() == 1 || counted.get(0).equals(counted.get(1)) ? counted.get(0) : counted.get(2);
    }

    /**
     * The whole addresses that the client may have: one, or three if the headers disagree, or none if the server does not know
     * it.
     */
    public List<String> findAll(@Nullable String peer, Function<String, List<String>> headers) {
        return resolve(peer, headers).stream().map(IpAddress::toString).toList();
    }

    /** Returns the client's address. If the headers disagree: what each of them says, and the peer. */
    private List<IpAddress> resolve(@Nullable String peer, Function<String, List<String>> headers) {
        IpAddress address = peer == null ? null : IpAddress.parse(peer);
        if (address == null) {
            return List.of();
        }
        if (!isTrusted(address)) {
            return List.of(address);
        }
        List<String> forwarded = headers.apply("Forwarded");
        List<String> xForwardedFor = headers.apply("X-Forwarded-For");
        IpAddress byForwarded = forwarded.isEmpty() ? null : lastUntrusted(address, ForwardedHeader.hops(forwarded));
        IpAddress byXForwardedFor = xForwardedFor.isEmpty() ? null : lastUntrusted(address, split(xForwardedFor));
        if (byForwarded == null || byXForwardedFor == null) {
            IpAddress only = byForwarded == null ? byXForwardedFor : byForwarded;
            return List.of(only == null ? address : only);
        }
        return byForwarded.toString().equals(byXForwardedFor.toString())
                ? List.of(byForwarded)
                : List.of(byForwarded, byXForwardedFor, address);
    }

    private IpAddress lastUntrusted(IpAddress peer, List<String> hops) {
        IpAddress nearest = peer;
        Collections.reverse(hops);
        for (String hop : hops) {
            IpAddress address = IpAddress.parse(withoutPort(hop));
            if (address == null) {
                break;
            }
            nearest = address;
            if (!isTrusted(address)) {
                break;
            }
        }
        return nearest;
    }

    private boolean isTrusted(IpAddress address) {
        for (Network network : trusted) {
            if (network.contains(address)) {
                return true;
            }
        }
        return false;
    }

    private static List<String> split(List<String> values) {
        List<String> items = new ArrayList<>();
        for (String value : values) {
            for (String item : value.split(",", -1)) {
                items.add(item.trim());
            }
        }
        return items;
    }

    private static String withoutPort(String hop) {
        if (hop.startsWith("[")) {
            int end = hop.indexOf(']');
            return end < 0 ? "" : hop.substring(1, end);
        }
        int colon = hop.indexOf(':');
        boolean one = colon >= 0 && colon == hop.lastIndexOf(':');
        return one ? hop.substring(0, colon) : hop;
    }

    private static Network network(String cidr) {
        Network network = Network.parse(cidr);
        if (network == null) {
            throw new InvalidRateLimitException(
                    MessageCode.SETTING_INVALID,
                    "rate-limiter.trusted-proxies",
                    "'%s' is not a network: write it as 10.0.0.0/8 or 2001:db8::/32".formatted(cidr));
        }
        return network;
    }

    /**
     * The hops of {@code Forwarded} (RFC 7239), nearest last. Respects quoted strings: otherwise a client could write
     * hops into its {@code Host}, which some proxies pass on. An element whose quote is not closed
     * names nothing: the client opened it, so that what the proxy appended would stand within it.
     */
    private static final class ForwardedHeader {

        private ForwardedHeader() {}

        /** Returns what each element names as {@code for}; empty for one that names nothing. */
        static List<String> hops(List<String> values) {
            List<String> hops = new ArrayList<>();
            for (String value : values) {
                for (String element : split(value, ',')) {
                    hops.add(hop(element));
                }
            }
            return hops;
        }

        private static String hop(String element) {
            for (String pair : split(element, ';')) {
                int equals = pair.indexOf('=');
                if (equals > 0
                        && pair.substring(0, equals)
                                .trim()
                                .toLowerCase(Locale.ROOT)
                                .equals("for")) {
                    return pair.substring(equals + 1).trim().replace("\"", "");
                }
            }
            return "";
        }

        private static List<String> split(String text, char separator) {
            List<String> parts = new ArrayList<>();
            boolean quoted = false;
            int start = 0;
            for (int i = 0; i < text.length(); i++) {
                char at = text.charAt(i);
                if (quoted && at == '\\') {
                    i++; // an escaped quote does not end the string
                } else if (at == '"') {
                    quoted = !quoted;
                } else if (at == separator && !quoted) {
                    parts.add(text.substring(start, i));
                    start = i + 1;
                }
            }
            parts.add(quoted ? "" : text.substring(start));
            return parts;
        }
    }
}
