package io.ratelimit.stack;

import io.ratelimit.testing.NoThreadsLeft;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoThreadsLeft.class)
class ReportOnlyInMemoryTest extends ReportOnlyContract {

    @Override
    RateLimiterStackBuilder builder() {
        return RateLimiterStack.inMemory();
    }
}
