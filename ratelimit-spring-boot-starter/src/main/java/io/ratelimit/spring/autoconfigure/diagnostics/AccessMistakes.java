package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import io.ratelimit.spring.internal.rule.Network;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Networks in {@code allow} and {@code deny} that hold more clients than meant. */
final class AccessMistakes {

    private final RateLimiterProperties properties;

    AccessMistakes(RateLimiterProperties properties) {
        this.properties = properties;
    }

    /** Finds networks of all addresses. */
    List<String> everybody() {
        Map<String, List<String>> lists = allow();
        lists.put("rate-limiter.deny", properties.deny());
        properties.routes().forEach((name, route) -> lists.put("rate-limiter.routes." + name + ".deny", route.deny()));
        return findings(
                lists,
                Network::isEverybody,
                "%s '%s' lists everybody. Name the networks that are meant, or leave it out");
    }

    /** Finds allowed networks with an address of a trusted proxy, which is a client's if the proxy names none. */
    List<String> proxies() {
        List<Network> trusted = properties.trustedProxies().stream()
                .map(Network::parse)
                .filter(Objects::nonNull)
                .toList();
        return findings(
                allow(),
                network -> !network.isEverybody() && trusted.stream().anyMatch(network::overlaps),
                "%s '%s' holds addresses of rate-limiter.trusted-proxies: a client that such a proxy does not name is not"
                        + " limited. Leave the proxies out");
    }

    private Map<String, List<String>> allow() {
        Map<String, List<String>> lists = new LinkedHashMap<>();
        lists.put("rate-limiter.allow", properties.allow());
        properties
                .routes()
                .forEach((name, route) -> lists.put("rate-limiter.routes." + name + ".allow", route.allow()));
        return lists;
    }

    private static List<String> findings(
            Map<String, List<String>> lists, Predicate<Network> isMistake, String message) {
        return lists.entrySet().stream()
                .flatMap(list -> list.getValue().stream().flatMap(entry -> {
                    Network network = Network.parse(entry);
                    return network != null && isMistake.test(network)
                            ? Stream.of(message.formatted(list.getKey(), entry))
                            : Stream.empty();
                }))
                .toList();
    }
}
