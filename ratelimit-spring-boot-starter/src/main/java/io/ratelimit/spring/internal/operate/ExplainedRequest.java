package io.ratelimit.spring.internal.operate;

import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.web.QueryParam;
import io.ratelimit.spring.internal.web.RequestPaths;
import java.security.Principal;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpMethod;
import org.springframework.http.server.PathContainer;

/** A request that is not sent, described by the parameters of the endpoint. Immutable. */
final class ExplainedRequest implements RequestView {

    private record Header(String name, String value) {
        static Header parse(Object text) {
            int colon = text.toString().indexOf(':');
            if (colon < 1) {
                throw new BadRequestException("a header is written NAME:VALUE, such as header=X-Api-Key:k1");
            }
            return new Header(
                    text.toString().substring(0, colon).trim(),
                    text.toString().substring(colon + 1).trim());
        }
    }

    /** A value of RFC 6265. Servers take off a pair of quotes, and leave out a cookie with any other value. */
    private static final Pattern COOKIE_VALUE =
            Pattern.compile("(?<quote>\"?)(?<octets>[\\x21\\x23-\\x2B\\x2D-\\x3A\\x3C-\\x5B\\x5D-\\x7E]*)\\k<quote>");

    private final String method;
    private final String path;
    private final @Nullable String query;
    private final List<PathContainer> paths;
    private final List<Header> headers;
    private final @Nullable String principal;
    private final String address;
    private final List<String> possibleAddresses;

    /** @throws BadRequestException if a parameter is not valid */
    ExplainedRequest(
            @Nullable String method,
            @Nullable String pathAndQuery,
            @Nullable Object headers,
            @Nullable String principal,
            @Nullable String address,
            ClientAddresses addresses) {
        if (pathAndQuery == null || !pathAndQuery.startsWith("/")) {
            throw new BadRequestException(
                    "path is missing, or does not begin with '/': name one, such as path=/orders");
        }
        int question = pathAndQuery.indexOf('?');
        this.path = question < 0 ? pathAndQuery : pathAndQuery.substring(0, question);
        this.query = question < 0 ? null : pathAndQuery.substring(question + 1);
        this.method = method == null ? "GET" : method.toUpperCase(Locale.ROOT);
        if (Stream.of(HttpMethod.values()).noneMatch(known -> known.matches(this.method))) {
            throw new BadRequestException("method is unknown: use one of " + Arrays.toString(HttpMethod.values()));
        }
        this.paths = paths(path);
        this.headers = headers(headers);
        this.principal = principal == null || principal.isBlank() ? null : principal;
        this.address = addresses.find(address, this::values);
        this.possibleAddresses = addresses.findAll(address, this::values);
        if (address != null && addresses.find(address, name -> List.of()).equals(ClientAddresses.UNKNOWN)) {
            throw new BadRequestException("address is not an IP address: write one, such as address=203.0.113.7");
        }
    }

    private static List<PathContainer> paths(String path) {
        try {
            return RequestPaths.of(PathContainer.parsePath(path));
        } catch (IllegalArgumentException malformed) {
            throw new BadRequestException("path has an escape that cannot be decoded: write % as %25");
        }
    }

    private static List<Header> headers(@Nullable Object headers) {
        if (headers == null) {
            return List.of();
        }
        return headers instanceof List<?> several
                ? several.stream().map(Header::parse).toList()
                : List.of(Header.parse(headers));
    }

    List<PathContainer> paths() {
        return paths;
    }

    private List<String> values(String name) {
        return headers.stream()
                .filter(header -> header.name().equalsIgnoreCase(name))
                .map(Header::value)
                .toList();
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return RequestPaths.last(paths);
    }

    @Override
    public String rawPath() {
        return path;
    }

    @Override
    public @Nullable String header(String name) {
        return values(name).stream().findFirst().orElse(null);
    }

    @Override
    public @Nullable String cookie(String name) {
        return values("Cookie").stream()
                .flatMap(cookies -> Arrays.stream(cookies.split(";")))
                .map(String::trim)
                .filter(cookie -> cookie.startsWith(name + "="))
                .map(cookie -> COOKIE_VALUE.matcher(cookie.substring(name.length() + 1)))
                .filter(Matcher::matches)
                .map(value -> value.group("octets"))
                .findFirst()
                .orElse(null);
    }

    @Override
    public @Nullable String param(String name) {
        return query == null ? null : QueryParam.first(query, name);
    }

    @Override
    public @Nullable Principal principal() {
        return principal == null ? null : () -> principal;
    }

    @Override
    public String clientAddress() {
        return address;
    }

    @Override
    public List<String> possibleAddresses() {
        return possibleAddresses;
    }

    /** A parameter of the endpoint that cannot be used. The message says which, and never quotes a subject. */
    static final class BadRequestException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        BadRequestException(String message) {
            super(message);
        }
    }
}
