package io.ratelimit.testing;

import io.lettuce.core.resource.ClientResources;
import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * Threads that the Redis clients of all tests of a run share. To start and end them takes longer than most tests do. Their
 * names tell them from threads that a test starts and must end: see {@link Leftovers#threads}.
 */
public final class SharedThreads {

    private static final ClientResources OF_LIMITERS = create();

    private SharedThreads() {}

    /** Returns those of clients that tests give to a limiter. They end with the process. */
    public static ClientResources ofLimiters() {
        return OF_LIMITERS;
    }

    static ClientResources create() {
        return ClientResources.builder()
                .threadFactoryProvider(pool -> new DefaultThreadFactory("shared-" + pool, true))
                .build();
    }
}
