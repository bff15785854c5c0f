package io.ratelimit.spring.internal.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.redis.StoreAlone;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether Redis grants what the limiter needs, by running the script on a key of its own, and whether it evicts
 * keys when its memory is full. Redis names the command that it refuses, so no list of commands is kept here. Used by one
 * thread.
 */
final class StoreCheck {

    private static final Logger LOG = LoggerFactory.getLogger(StoreCheck.class);
    private static final String NAME = "start-up-check";

    private final LettuceConnections connections;
    private final String keyPrefix;
    private final Duration timeout;
    private final RepeatedWarning warning = new RepeatedWarning(MessageCode.REDIS_REFUSES);

    StoreCheck(LettuceConnections connections, String keyPrefix, Duration timeout) {
        this.connections = connections;
        this.keyPrefix = keyPrefix;
        this.timeout = timeout;
    }

    /**
     * Returns whether Redis did all that decisions need; if it refused some of it, a warning says which.
     *
     * @throws StoreUnavailableException if Redis did not answer
     */
    boolean passes() {
        try (StoreAlone limiter = StoreAlone.on(connections, keyPrefix, timeout)) {
            for (Algorithm algorithm : Algorithm.values()) {
                if (!algorithm.countsElements()) { // they need no other rights
                    tryOut(limiter, Limit.of(NAME, algorithm, 3, Duration.ofSeconds(1)));
                }
            }
            return true;
        } catch (StoreUnavailableException failed) {
            if (!(failed.getCause() instanceof RedisCommandExecutionException refused)) {
                throw failed;
            }
            warning.log(
                    String.valueOf(refused.getMessage()),
                    "Redis refuses what the rate limiter needs, so that on-store-failure decides: {} (user '{}', keys"
                            + " '{}:*'). It takes a master that accepts writes, and for that user the rights that"
                            + " docs/redis.md lists",
                    String.valueOf(refused.getMessage()),
                    connections.user(),
                    keyPrefix);
            return false;
        }
    }

    /** Does all that decisions do to a key: creates, changes, refuses, refunds and removes it. */
    private static void tryOut(RateLimiter limiter, Limit limit) {
        Acquisition one = Acquisition.of(limit, NAME);
        limiter.acquire(one);
        Decision second = limiter.acquire(one);
        limiter.acquire(Acquisition.of(limit, NAME, 3));
        limiter.peek(one);
        limiter.refund(one, second);
        limiter.reset(limit, NAME);
    }

    /** Warns if Redis may forget counts when its memory is full. */
    void warnOfEviction() throws InterruptedException {
        try {
            String memory = connections.commands().info("memory").get(timeout.toMillis(), TimeUnit.MILLISECONDS);
            String policy = value(memory, "maxmemory_policy");
            if (!policy.isEmpty() && !policy.equals("noeviction")) {
                new Warning(MessageCode.REDIS_EVICTS)
                        .log(
                                "Redis evicts keys when its memory is full (maxmemory-policy '{}'): it then forgets whom it has"
                                        + " refused, and a flood of made-up subjects resets every limit. Use a Redis with"
                                        + " maxmemory-policy noeviction for rate limits, see docs/redis.md",
                                policy);
            }
        } catch (ExecutionException | TimeoutException | StoreUnavailableException unknown) {
            LOG.debug("Redis does not say what it does when its memory is full", unknown);
        }
    }

    private static String value(String info, String name) {
        return info.lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).trim())
                .findFirst()
                .orElse("");
    }
}
