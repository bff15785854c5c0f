package io.ratelimit.spring.testing;

import io.ratelimit.spring.RequestView;
import java.security.Principal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A request that holds what a test puts in. */
public final class FakeRequest implements RequestView {

    private final String clientAddress;
    private final Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    private final Map<String, String> cookies = new TreeMap<>();
    private final Map<String, String> params = new TreeMap<>();
    private String method = "GET";
    private Principal principal;

    public FakeRequest(String clientAddress) {
        this.clientAddress = clientAddress;
    }

    public FakeRequest withMethod(String name) {
        method = name;
        return this;
    }

    public FakeRequest withHeader(String name, String value) {
        headers.put(name, value);
        return this;
    }

    public FakeRequest withCookie(String name, String value) {
        cookies.put(name, value);
        return this;
    }

    public FakeRequest withParam(String name, String value) {
        params.put(name, value);
        return this;
    }

    public FakeRequest withPrincipal(String name) {
        return withPrincipal(() -> name);
    }

    public FakeRequest withPrincipal(Principal authenticated) {
        principal = authenticated;
        return this;
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return "/";
    }

    @Override
    public String rawPath() {
        return "/";
    }

    @Override
    public String header(String name) {
        return headers.get(name);
    }

    @Override
    public String cookie(String name) {
        return cookies.get(name);
    }

    @Override
    public String param(String name) {
        return params.get(name);
    }

    @Override
    public Principal principal() {
        return principal;
    }

    @Override
    public String clientAddress() {
        return clientAddress;
    }

    @Override
    public List<String> possibleAddresses() {
        return List.of(clientAddress);
    }
}
