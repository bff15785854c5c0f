package io.ratelimit.spring.internal.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.DaemonThreads;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.live.Overrides;
import io.ratelimit.stack.RateLimiterStack;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The limiter over Redis as a bean of the application. It connects, checks Redis, reads overrides and warms up before the first request is
 * served, so that this request is decided as exactly and quickly as any later one. All of that runs on a thread of its
 * own; the start waits for it for two seconds at most, and goes on with Redis down. Where nothing is limited, nothing
 * is connected, and no limiter made.
 */
public final class RedisStore implements SmartLifecycle, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RedisStore.class);
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration LEAST_TIMEOUT = Duration.ofSeconds(1);
    private static final int WARM_UPS = 20;

    private final LettuceConnections connections;
    private final Supplier<RateLimiterStack> build;
    private final Limits limits;
    private final Overrides overrides;
    private final StoreCheck check;
    private final CountDownLatch prepared = new CountDownLatch(1);
    private final Thread preparing;
    private final BooleanSupplier isInjected;
    private final AtomicBoolean begun = new AtomicBoolean();
    private volatile @Nullable RateLimiterStack limiter;
    private volatile boolean running;

    /**
     * Starts connecting if there are limits.
     *
     * @param limiter builds the limiter, once, when it is needed
     * @param timeout how long a decision may wait for Redis; overrides and the check may for a second at least
     * @param isInjected says when all beans are there whether the application's own code may use the limiter
     */
    public RedisStore(
            LettuceConnections connections,
            Supplier<RateLimiterStack> limiter,
            Limits limits,
            Overrides overrides,
            String keyPrefix,
            Duration timeout,
            BooleanSupplier isInjected) {
        this.connections = connections;
        this.build = limiter;
        this.limits = limits;
        this.overrides = overrides;
        Duration own = timeout.compareTo(LEAST_TIMEOUT) > 0 ? timeout : LEAST_TIMEOUT;
        overrides.keepIn(new RedisOverrides(connections, keyPrefix, own));
        this.check = new StoreCheck(connections, keyPrefix, own);
        this.preparing = DaemonThreads.create("ratelimit-connect", this::prepare);
        this.isInjected = isInjected;
        connections.whenFirstUsed(this::firstUsed);
        if (!limits.names().isEmpty()) {
            begin();
        }
    }

    /** Starts connecting, unless that has begun. Returns at once. */
    public void begin() {
        if (begun.compareAndSet(false, true)) {
            limiter(); // here, because it needs beans, which its caller makes
            preparing.start();
        }
    }

    /** A call comes before the connection is there, as of a limiter that was looked up or in a bean's constructor: waits for it if it may. */
    private void firstUsed() {
        begin();
        connections.firstAttempt().await();
    }

    public synchronized RateLimiterStack limiter() {
        RateLimiterStack built = limiter;
        if (built == null) {
            built = build.get();
            limiter = built;
        }
        return built;
    }

    /** Before the web server, which starts in a late phase. */
    @Override
    public int getPhase() {
        return 0;
    }

    @Override
    public void start() {
        running = true;
        if (isInjected.getAsBoolean()) {
            begin();
        }
        if (begun.get()) {
            awaitPrepared();
        }
    }

    private void awaitPrepared() {
        try {
            if (!prepared.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                connections.firstAttempt().end();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
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
        preparing.interrupt();
        RateLimiterStack built = limiter;
        try {
            if (built != null) {
                built.close();
            }
        } finally {
            connections.close();
        }
    }

    private void prepare() {
        try {
            connections.connect();
            Future<?> overridden =
                    overrides.follow().toCompletableFuture(); // first: requests must not be decided without
            boolean passes = passes();
            check.warnOfEviction();
            if (passes) {
                overridden.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
                warmUp();
            }
            prepared.countDown();
            while (!passes) {
                Thread.sleep(RepeatedWarning.INTERVAL_MILLIS);
                passes = passes();
            }
        } catch (InterruptedException closing) {
            LOG.debug("closed before Redis was connected and checked");
        } catch (RuntimeException | ExecutionException | TimeoutException failed) {
            LOG.debug("checking Redis failed", failed);
        } finally {
            prepared.countDown();
        }
    }

    /**
     * True if Redis grants what is needed. Also true if it does not answer, because that shows nothing about its
     * rights.
     */
    private boolean passes() {
        try {
            return check.passes();
        } catch (StoreUnavailableException silent) {
            LOG.debug("Redis did not answer the check of its rights", silent);
            return true;
        }
    }

    /** Peeks until the code is warm or Redis fails; charges nothing. */
    private void warmUp() {
        RateLimiterStack warm = limiter();
        long endNanos = System.nanoTime() + PATIENCE.toNanos();
        try {
            for (Limit limit : limits.all()) {
                Acquisition one = limit.algorithm().countsElements()
                        ? Acquisition.of(limit, "warm-up", "warm-up")
                        : Acquisition.of(limit, "warm-up");
                for (int i = 0; i < WARM_UPS && System.nanoTime() - endNanos < 0; i++) {
                    warm.peek(one.withOnStoreFailure(FailurePolicy.CLOSED));
                }
            }
        } catch (StoreUnavailableException slow) {
            LOG.debug("warming up stopped", slow);
        }
    }
}
