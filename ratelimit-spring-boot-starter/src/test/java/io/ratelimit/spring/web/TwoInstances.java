package io.ratelimit.spring.web;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.TestRedis;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** Two instances of an application that count together: in one Redis, or because both are the same one in memory. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TwoInstances {

    final Stack stack;
    final boolean onRedis;
    TestApp one;
    TestApp other;

    private final String prefix = "rate-limiter.key-prefix=" + UUID.randomUUID();

    TwoInstances(Stack stack, boolean onRedis) {
        this.stack = stack;
        this.onRedis = onRedis;
    }

    @BeforeAll
    void start() {
        one = onRedis ? onRedis() : instance("rate-limiter.store=auto", prefix);
        other = onRedis ? onRedis() : one;
    }

    @AfterAll
    void stop() {
        one.close();
        other.close();
    }

    private TestApp onRedis() {
        return instance("spring.data.redis.url=" + TestRedis.uri(), prefix).onRedis();
    }

    /** Starts one that counts there. */
    abstract TestApp instance(String... store);
}
