package io.ratelimit.spring.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.redis.RedisRateLimiter;
import io.ratelimit.spring.Limits;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The limiter over Redis as a bean of the application: connected and tried out before the first request is served, for
 * that one must be as exact and as quick as any later one. If Redis is down the application starts all the same.
 */
public final class RedisStore implements SmartLifecycle, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final int WARM_UPS = 20;

    private final LettuceConnections connections;
    private final RedisRateLimiter limiter;
    private final Limits limits;
    private final List<AutoCloseable> closedFirst = new CopyOnWriteArrayList<>();
    private volatile boolean running;

    public RedisStore(LettuceConnections connections, String keyPrefix, Duration timeout, Limits limits) {
        this.connections = connections;
        this.limits = limits;
        this.limiter = RedisRateLimiter.builder(connections)
                .keyPrefix(keyPrefix)
                .timeout(timeout)
                .build();
    }

    public RateLimiter limiter() {
        return limiter;
    }

    /** Closes that before the connection: it still has something to give back. */
    public <T extends AutoCloseable> T closedFirst(T over) {
        closedFirst.add(over);
        return over;
    }

    /** Before the web server, which starts late. */
    @Override
    public int getPhase() {
        return 0;
    }

    @Override
    public void start() {
        running = true;
        if (!connections.awaitConnected(PATIENCE)) {
            LOG.warn("Redis cannot be reached at the start: on-store-failure decides until it can");
            return;
        }
        limits.names().stream().map(limits::get).forEach(this::warmUp);
    }

    @Override
    public void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public void close() {
        closedFirst.forEach(RedisStore::close);
        limiter.close();
        connections.close();
    }

    private static void close(AutoCloseable over) {
        try {
            over.close();
        } catch (Exception failed) {
            LOG.warn("Closing what stands on Redis failed", failed);
        }
    }

    /** Peeks until Redis knows the script and this process has warmed to it; charges nothing. */
    private void warmUp(Limit limit) {
        for (int i = 0; i < WARM_UPS; i++) {
            try {
                limiter.peek(Acquisition.of(limit, "warm-up"));
            } catch (StoreUnavailableException slow) {
                LOG.debug("warming up limit '{}'", limit.name(), slow);
            }
        }
    }
}
