package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.Limit;
import io.ratelimit.spring.HeaderFamily;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import java.util.ArrayList;
import java.util.List;

/** Windows below a second, which the IETF headers cannot express. For a token bucket those headers hold the time to refill. */
final class ShortWindow implements Diagnosis {

    private static final long SECOND_MICROS = 1_000_000;

    private final RateLimiterProperties properties;
    private final Limits limits;

    ShortWindow(RateLimiterProperties properties, Limits limits) {
        this.properties = properties;
        this.limits = limits;
    }

    @Override
    public MessageCode code() {
        return MessageCode.WINDOW_TOO_SHORT_FOR_HEADERS;
    }

    @Override
    public List<String> findings() {
        List<String> windows = properties.headers().contains(HeaderFamily.IETF) ? shortWindows() : List.of();
        return windows.isEmpty()
                ? List.of()
                : List.of(("%s is below 1s, but rate-limiter.headers holds ietf, which counts whole seconds: clients"
                                + " wait longer than they need to. Write the limit for 1s or more, or leave ietf out")
                        .formatted(String.join(", ", windows)));
    }

    private List<String> shortWindows() {
        List<String> found = new ArrayList<>();
        if (properties.maxRequests() != null) {
            add("rate-limiter", limits.get("default"), found);
        }
        properties.limits().keySet().forEach(name -> add("rate-limiter.limits." + name, limits.get(name), found));
        properties.routes().forEach((name, route) -> {
            if (route.maxRequests() != null) {
                add("rate-limiter.routes." + name, route.ownLimit(name).limit(), found);
            }
        });
        return found;
    }

    private static void add(String where, Limit limit, List<String> to) {
        if (limit.quota().refillMicros() < SECOND_MICROS) {
            to.add("%s.window-size '%dms'".formatted(where, limit.windowSize().toMillis()));
        }
    }
}
