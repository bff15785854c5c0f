package io.ratelimit.spring;

import java.util.LinkedHashMap;
import java.util.Map;

/** The response to a refused request. Immutable. */
public record RefusalResponse(int status, Map<String, String> headers, String body) {

    public RefusalResponse {
        headers = Map.copyOf(headers);
    }

    public RefusalResponse withStatus(int other) {
        return new RefusalResponse(other, headers, body);
    }

    public RefusalResponse withHeader(String name, String value) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.put(name, value);
        return new RefusalResponse(status, all, body);
    }

    /** Another body, which is sent in UTF-8. */
    public RefusalResponse withBody(String contentType, String other) {
        return new RefusalResponse(status, headers, other).withHeader("Content-Type", contentType);
    }
}
