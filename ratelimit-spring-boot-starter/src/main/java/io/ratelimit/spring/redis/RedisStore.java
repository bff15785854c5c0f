package io.ratelimit.spring.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.spring.Limits;
import io.ratelimit.stack.RateLimiterStack;
import java.time.Duration;
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
    private final RateLimiterStack limiter;
    private final Limits limits;
    private volatile boolean running;

    public RedisStore(LettuceConnections connections, RateLimiterStack limiter, Limits limits) {
        this.connections = connections;
        this.limiter = limiter;
        this.limits = limits;
    }

    public RateLimiterStack limiter() {
        return limiter;
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
        try {
            limiter.close();
        } finally {
            connections.close();
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
