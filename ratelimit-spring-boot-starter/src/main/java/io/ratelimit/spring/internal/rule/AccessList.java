package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RequestView;
import java.security.Principal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Requests that {@code allow} or {@code deny} lists: by the client's whole address, by a principal or by the value of a
 * header. Immutable and thread-safe.
 */
public final class AccessList {

    /** Which list names a request. */
    public enum Kind {
        /** The request is not limited. */
        ALLOW,
        /** The request is answered with 403. */
        DENY
    }

    /** Receives each request that a list names, for metrics. Implementations must be thread-safe. */
    @FunctionalInterface
    public interface Listener {
        /** Called once for each route or annotation that does not limit an allowed request, and once for a denied one. */
        void onListed(Kind kind);
    }

    private record Header(String name, String value) {}

    private static final String PRINCIPAL = "principal:";

    private static final String HEADER = "header:";

    private final Kind kind;
    private final Listener listener;
    private final List<Network> networks = new ArrayList<>();
    private final List<Header> headers = new ArrayList<>();
    private final Set<String> principals = new HashSet<>();

    /**
     * Lists these.
     *
     * @param where the property, for messages
     * @throws InvalidRateLimitException if an entry cannot be read
     */
    AccessList(Kind kind, List<String> entries, String where, Listener listener) {
        this.kind = kind;
        this.listener = listener;
        entries.forEach(entry -> add(entry, where));
    }

    private AccessList(AccessList one, AccessList other) {
        this(one.kind, List.of(), "", one.listener);
        for (AccessList list : List.of(one, other)) {
            networks.addAll(list.networks);
            headers.addAll(list.headers);
            principals.addAll(list.principals);
        }
    }

    /** Returns a list of what either of them lists. */
    AccessList and(AccessList other) {
        return new AccessList(this, other);
    }

    public boolean isEmpty() {
        return networks.isEmpty() && headers.isEmpty() && principals.isEmpty();
    }

    boolean needsPrincipal() {
        return !principals.isEmpty();
    }

    /** True if it lists the request. Reads the principal only if nothing else decides. */
    boolean lists(RequestView request) {
        if (listsAnybody(request)) {
            return true;
        }
        Principal principal = principals.isEmpty() ? null : request.principal();
        return principal != null && principals.contains(principal.getName());
    }

    /** True if it lists the request, whoever sends it: what is known before authentication. */
    boolean listsAnybody(RequestView request) {
        for (Header header : headers) {
            if (header.value.equals(request.header(header.name))) {
                return true;
            }
        }
        return !networks.isEmpty() && listsAddresses(request.possibleAddresses());
    }

    /** If it is not known which address is the client's, all must be allowed, or one be denied. */
    private boolean listsAddresses(List<String> addresses) {
        return kind == Kind.ALLOW
                ? !addresses.isEmpty() && addresses.stream().allMatch(this::listsAddress)
                : addresses.stream().anyMatch(this::listsAddress);
    }

    /** An IPv4 address behind the prefix of RFC 6052 is the client that it is counted as. */
    private boolean listsAddress(String text) {
        IpAddress address = IpAddress.parse(text);
        if (address == null) {
            return false;
        }
        IpAddress embedded = address.withoutNat64();
        for (Network network : networks) {
            if (network.contains(address) || network.contains(embedded)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the condition, which is false besides for what is listed. A call without a request is not listed. */
    Predicate<Call> exemptFrom(Predicate<Call> condition) {
        if (isEmpty()) {
            return condition;
        }
        return call -> {
            RequestView request = call.request();
            if (request == null || !lists(request)) {
                return condition.test(call);
            }
            if (!call.isExplained()) {
                report();
            }
            call.explain("does not apply: the request is allowed by an entry of allow");
            return false;
        };
    }

    /** Tells the listener of a request that is listed. */
    void report() {
        listener.onListed(kind);
    }

    private void add(String entry, String where) {
        Network network = Network.parse(entry);
        int colon = entry.indexOf(':', HEADER.length());
        String value = entry.startsWith(PRINCIPAL) ? entry.substring(PRINCIPAL.length()) : entry.substring(colon + 1);
        if (network != null) {
            networks.add(network);
        } else if (entry.startsWith(PRINCIPAL) && isWhole(value)) {
            principals.add(value);
        } else if (entry.startsWith(HEADER)
                && colon > 0
                && SubjectKeyParser.isToken(entry.substring(HEADER.length(), colon))
                && isWhole(value)) {
            headers.add(new Header(entry.substring(HEADER.length(), colon), value));
        } else {
            throw new InvalidRateLimitException(
                    MessageCode.ACCESS_INVALID,
                    where,
                    "'%s' lists nobody: write a network or address such as 10.0.0.0/8 or 2001:db8::7, principal:NAME or header:NAME:VALUE"
                            .formatted(entry));
        }
    }

    /** Servers leave out the spaces around a header's value, and nobody is named so. */
    private static boolean isWhole(String value) {
        return !value.isEmpty() && value.equals(value.strip());
    }
}
