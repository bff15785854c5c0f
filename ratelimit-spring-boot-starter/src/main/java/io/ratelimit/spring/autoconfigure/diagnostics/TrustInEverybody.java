package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Trusted proxies that include every address. */
final class TrustInEverybody implements Diagnosis {

    private static final Pattern NO_BITS = Pattern.compile(".*/0+");

    private final RateLimiterProperties properties;

    TrustInEverybody(RateLimiterProperties properties) {
        this.properties = properties;
    }

    @Override
    public MessageCode code() {
        return MessageCode.EVERYBODY_TRUSTED;
    }

    @Override
    public List<String> findings() {
        String everybody = properties.trustedProxies().stream()
                .filter(network -> NO_BITS.matcher(network).matches())
                .collect(Collectors.joining(", "));
        return everybody.isEmpty()
                ? List.of()
                : List.of(("rate-limiter.trusted-proxies '%s' trusts everybody: any client names the address it is"
                                + " counted by. Name the networks of your own proxies only")
                        .formatted(everybody));
    }
}
