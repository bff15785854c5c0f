package io.ratelimit.spring.autoconfigure;

import io.ratelimit.Ban;
import io.ratelimit.Limit;
import io.ratelimit.internal.Micros;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.ClientProperties;
import io.ratelimit.spring.internal.client.ObeyedHeaders;
import io.ratelimit.spring.internal.client.Remote;
import io.ratelimit.spring.internal.client.RemoteHost;
import io.ratelimit.spring.internal.rule.RuleFactory;
import io.ratelimit.spring.internal.rule.SubjectKey;
import io.ratelimit.spring.internal.rule.SubjectKeyParser;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The partners that {@code rate-limiter.clients} defines. */
final class ConfiguredClients {

    private static final Duration LONGEST_WAIT = Duration.ofDays(1);
    private static final Duration LONGEST_BLOCK = Duration.ofDays(366);

    private final RuleFactory rules;
    private final SubjectKeyParser keys;
    private final Map<RemoteHost, String> named = new HashMap<>();

    ConfiguredClients(RuleFactory rules, SubjectKeyParser keys) {
        this.rules = rules;
        this.keys = keys;
    }

    List<Remote> remotes(Map<String, ClientProperties> clients) {
        return clients.entrySet().stream()
                .map(client -> remote(client.getKey(), client.getValue(), "rate-limiter.clients." + client.getKey()))
                .toList();
    }

    private Remote remote(String name, ClientProperties client, String where) {
        checkTime(client.maxWait(), Duration.ZERO, LONGEST_WAIT, where + ".max-wait", "0s to 1d, such as 5s");
        checkTime(
                client.maxBlock(),
                Duration.ofSeconds(1),
                LONGEST_BLOCK,
                where + ".max-block",
                "1s to 366d, such as 1h");
        return new Remote(
                name,
                hosts(name, client.hosts(), where + ".hosts"),
                limits(client.limits(), where + ".limits"),
                key(client.key(), where + ".key"),
                client.obey().stream()
                        .map(family -> obeyed(family, where + ".obey"))
                        .toList(),
                client.maxWait(),
                client.maxBlock());
    }

    private List<RemoteHost> hosts(String client, List<String> written, String where) {
        if (written.isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.CLIENT_HOST_INVALID, where, "no hosts: name at least one, such as api.example.com");
        }
        return written.stream().map(text -> host(client, text, where)).toList();
    }

    private RemoteHost host(String client, String text, String where) {
        RemoteHost host = RemoteHost.parse(text)
                .orElseThrow(() -> new InvalidRateLimitException(
                        MessageCode.CLIENT_HOST_INVALID,
                        where,
                        "'%s' is not a host: write the name alone, without scheme and path, such as api.example.com, *.example.com or localhost:8080"
                                .formatted(text)));
        String other = named.putIfAbsent(host, client);
        if (other != null) {
            throw new InvalidRateLimitException(
                    MessageCode.CLIENT_HOST_INVALID,
                    where,
                    "'%s' is named by the client '%s', too, and a request belongs to one: leave it out of one of them, or name the limits of both in one client"
                            .formatted(text, other));
        }
        return host;
    }

    private List<Limit> limits(List<String> names, String where) {
        if (names.isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.CLIENT_LIMITS_INVALID, where, "no limits: name at least one below rate-limiter.limits");
        }
        if (names.stream().distinct().count() < names.size()) {
            throw new InvalidRateLimitException(
                    MessageCode.CLIENT_LIMITS_INVALID,
                    where,
                    "%s names a limit twice, so that each request would be charged twice: leave one out"
                            .formatted(names));
        }
        return names.stream().map(name -> limit(name, where)).toList();
    }

    private Limit limit(String name, String where) {
        Limit limit = rules.limit(name, where);
        if (!limit.algorithm().countsCosts()) {
            throw new InvalidRateLimitException(
                    MessageCode.CLIENT_LIMITS_INVALID,
                    where,
                    "limit '%s' of %s does not count requests that are sent: choose another algorithm"
                            .formatted(name, limit.algorithm().label()));
        }
        if (limit.ban().filter(Ban::countsFailures).isPresent()) {
            throw new InvalidRateLimitException(
                    MessageCode.CLIENT_LIMITS_INVALID,
                    where,
                    "limit '%s' has a ban that counts failures, of which requests that are sent have none: name another limit"
                            .formatted(name));
        }
        return limit;
    }

    private SubjectKey key(String text, String where) {
        boolean isPossible = text.equals("global") || SubjectKeyParser.isExpression(text);
        SubjectKey key = isPossible ? keys.parse(text, where, null) : null;
        if (key == null || key.needsRequest()) {
            throw new InvalidRateLimitException(
                    MessageCode.CLIENT_SETTING_INVALID,
                    where,
                    "'%s' names nothing that a request to a partner has: use global, or an expression such as \"'token:1'\" or \"@tokens.current()\""
                            .formatted(text));
        }
        return key;
    }

    private static ObeyedHeaders obeyed(String text, String where) {
        return ObeyedHeaders.parse(text)
                .orElseThrow(() -> new InvalidRateLimitException(
                        MessageCode.CLIENT_SETTING_INVALID,
                        where,
                        "'%s' is unknown: use retry-after, ratelimit, x-ratelimit, or x-ratelimit with what follows the names of the headers, such as x-ratelimit-tokens"
                                .formatted(text)));
    }

    private static void checkTime(Duration time, Duration least, Duration most, String where, String possible) {
        if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
            throw new InvalidRateLimitException(
                    MessageCode.CLIENT_SETTING_INVALID,
                    where,
                    "'%s' is out of range: write a time from %s".formatted(Micros.text(time), possible));
        }
    }
}
