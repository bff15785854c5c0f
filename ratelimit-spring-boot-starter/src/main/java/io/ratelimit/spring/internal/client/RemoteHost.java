package io.ratelimit.spring.internal.client;

import java.net.IDN;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A host to which requests are sent, or all hosts below a domain. Immutable and thread-safe.
 *
 * @param name in lower case; begins with a dot for all hosts below a domain
 * @param port -1 for every port
 */
public record RemoteHost(String name, int port) {

    private static final String LABEL = "[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?";
    private static final Pattern WRITTEN =
            Pattern.compile("(?<name>(\\*\\.)?(" + LABEL + "\\.)*" + LABEL + "|\\[[0-9a-f:.]+])(:(?<port>\\d{1,5}))?");

    private static final Pattern PLACE = Pattern.compile("(?<name>.*?)\\.?(:0*(?<port>\\d+)?)?");

    /** Returns the host that is written, such as {@code api.github.com}, {@code *.example.com} or {@code localhost:8080}. */
    public static Optional<RemoteHost> parse(String text) {
        Matcher written = WRITTEN.matcher(text.toLowerCase(Locale.ROOT));
        if (text.length() > 253 || !written.matches()) {
            return Optional.empty();
        }
        int port = written.group("port") == null ? -1 : Integer.parseInt(written.group("port"));
        String name = written.group("name");
        return port > 65_535 || port == 0
                ? Optional.empty()
                : Optional.of(new RemoteHost(name.startsWith("*") ? name.substring(1) : name, port));
    }

    /** Returns it as it is looked up: {@code bücher.example} is {@code xn--bcher-kva.example}. */
    private static String ascii(String text) {
        try {
            return IDN.toASCII(text);
        } catch (IllegalArgumentException noName) {
            return text;
        }
    }

    /**
     * Returns where a request is sent; empty if that is no host. Names that a URI cannot have, as with '_', are hosts too. One that
     * ends with a dot is the same name. An empty port is the default, and zeros in front of one say nothing.
     */
    static Optional<RemoteHost> of(URI uri) {
        String authority = uri.getRawAuthority();
        if (authority == null) {
            return Optional.empty();
        }
        Matcher place = PLACE.matcher(authority.substring(authority.lastIndexOf('@') + 1));
        if (!place.matches()) {
            return Optional.empty();
        }
        String port = place.group("port");
        return parse(ascii(place.group("name")) + (port == null ? "" : ":" + port))
                .map(host -> new RemoteHost(host.name, host.port < 0 ? defaultPort(uri) : host.port));
    }

    private static int defaultPort(URI uri) {
        return "http".equalsIgnoreCase(uri.getScheme()) ? 80 : 443;
    }

    /** Returns whether requests to that host belong to this one. */
    boolean includes(RemoteHost other) {
        boolean isBelow = name.startsWith(".") && other.name.endsWith(name);
        return (isBelow || name.equals(other.name)) && (port < 0 || port == other.port);
    }

    /** Returns how much this says: the name before the port, and more labels before fewer. */
    int precision() {
        return (name.startsWith(".") ? 0 : 1_000_000) + 10 * name.length() + (port < 0 ? 0 : 1);
    }
}
