package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the client's address behind trusted proxies, in the header that they write. It is read from the right, because
 * each proxy appends the address it saw, and only as far as trusted proxies wrote it.
 *
 * <p>If that header is not configured, it is {@code Forwarded} or {@code X-Forwarded-For}. One whose last element is not
 * an address was written by the client if the other one's is. If they name different addresses, the client wrote one of
 * them and neither is believed. Thread-safe.
 */
public final class ClientAddresses {

    /** The subject of all connections without an address, such as those of a Unix socket. */
    public static final String UNKNOWN = "unknown";

    private static final String FORWARDED = "Forwarded";

    private static final String X_FORWARDED_FOR = "X-Forwarded-For";

    private final List<Network> trusted;
    private final List<String> headers;
    private final int ipv6PrefixLength;
    private final Warning contradiction = new Warning(MessageCode.ADDRESSES_CONTRADICT);

    /**
     * Trusts these networks.
     *
     * @param header the header in which they name the client; null for either of the two usual ones
     * @param ipv6PrefixLength bits of an IPv6 address that one subscriber has
     * @throws InvalidRateLimitException if a network is not in CIDR notation, or the header cannot be one or is believed
     *     from nobody
     */
    public ClientAddresses(List<String> trustedProxies, @Nullable String header, int ipv6PrefixLength) {
        this.ipv6PrefixLength = ipv6PrefixLength;
        this.trusted = trustedProxies.stream().map(ClientAddresses::network).toList();
        this.headers = header == null ? List.of(FORWARDED, X_FORWARDED_FOR) : List.of(checked(header));
    }

    private String checked(String header) {
        if (!SubjectKeyParser.isToken(header)) {
            throw invalid(
                    "client-address-header",
                    "'%s' is not the name of a header: write one, such as X-Forwarded-For",
                    header);
        }
        if (trusted.isEmpty()) {
            throw invalid(
                    "client-address-header",
                    "'%s' is believed from nobody: name the networks of your proxies as rate-limiter.trusted-proxies",
                    header);
        }
        return header;
    }

    /**
     * The address as it is counted, an IPv6 address by its network.
     *
     * @param peer address of the connection, IPv6 with or without brackets; null or not an address if the server does not know
     *     it
     * @param headers returns all values of a header; not called unless the peer is a trusted proxy
     */
    public String find(@Nullable String peer, Function<String, List<String>> headers) {
        List<IpAddress> clients = clients(peer, headers);
        if (clients.isEmpty()) {
            return UNKNOWN;
        }
        String first = clients.get(0).counted(ipv6PrefixLength);
        boolean agree =
                clients.size() == 1 || clients.get(1).counted(ipv6PrefixLength).equals(first);
        return agree ? first : clients.get(2).counted(ipv6PrefixLength);
    }

    /**
     * The whole addresses that the client may have: one, or three if the headers disagree, or none if the server does not know
     * it.
     */
    public List<String> findAll(@Nullable String peer, Function<String, List<String>> headers) {
        return clients(peer, headers).stream().map(IpAddress::toString).toList();
    }

    /** Returns the client's address. If the headers disagree: what each of them says, and the peer. */
    private List<IpAddress> clients(@Nullable String peer, Function<String, List<String>> headers) {
        IpAddress address = peer == null ? null : IpAddress.parse(withoutPort(peer));
        if (address == null) {
            return List.of();
        }
        return isTrusted(address) ? namedBy(address, headers) : List.of(address);
    }

    private List<IpAddress> namedBy(IpAddress proxy, Function<String, List<String>> headers) {
        List<IpAddress> named = new ArrayList<>();
        for (String name : this.headers) {
            IpAddress client = lastUntrusted(hops(name, headers.apply(name)));
            if (client != null) {
                named.add(client);
            }
        }
        if (named.size() < 2) {
            return named.isEmpty() ? List.of(proxy) : named;
        }
        if (named.get(0).toString().equals(named.get(1).toString())) {
            return List.of(named.get(0));
        }
        contradiction.logOnce(
                "A request of a trusted proxy has Forwarded and X-Forwarded-For, and they name different clients: its"
                        + " client wrote one of them, and the proxy's own address counts. Name the header that your"
                        + " proxies write as rate-limiter.client-address-header");
        named.add(proxy);
        return named;
    }

    private static List<String> hops(String name, List<String> values) {
        return name.equalsIgnoreCase(FORWARDED) ? ForwardedHeader.hops(values) : split(values);
    }

    /** Returns null if the last hop is not an address. */
    private @Nullable IpAddress lastUntrusted(List<String> hops) {
        IpAddress nearest = null;
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

    /**
     * Returns the address alone. Some servers, and Spring where it reads headers itself, put brackets round all that has a colon,
     * an IPv4 port as well.
     */
    private static String withoutPort(String hop) {
        int end = hop.indexOf(']');
        String host = !hop.startsWith("[") ? hop : end < 0 ? "" : hop.substring(1, end);
        int colon = host.indexOf(':');
        boolean one = colon >= 0 && colon == host.lastIndexOf(':');
        return one ? host.substring(0, colon) : host;
    }

    private static Network network(String cidr) {
        Network network = Network.parse(cidr);
        if (network == null) {
            throw invalid("trusted-proxies", "'%s' is not a network: write it as 10.0.0.0/8 or 2001:db8::/32", cidr);
        }
        return network;
    }

    private static InvalidRateLimitException invalid(String setting, String demand, String value) {
        return new InvalidRateLimitException(
                MessageCode.SETTING_INVALID, "rate-limiter." + setting, demand.formatted(value));
    }
}
