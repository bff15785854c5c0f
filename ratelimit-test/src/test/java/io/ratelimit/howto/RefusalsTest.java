package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimitRefusedEvent;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.test.AutoConfigureTestRateLimiter;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Service;

@SpringBootTest
@AutoConfigureTestRateLimiter
@Import({RefusalsTest.Audit.class, RefusalsTest.Refused.class, RefusalsTest.Reports.class})
class RefusalsTest {

    @Component
    static class Audit {

        private final BlockingQueue<String> limits = new LinkedBlockingQueue<>();

        void refusedBy(String limit) {
            limits.add(limit);
        }
    }

    @Component
    @EnableAsync
    static class Refused {

        private final Audit audit;

        Refused(Audit audit) {
            this.audit = audit;
        }

        @Async
        @EventListener
        void on(RateLimitRefusedEvent refused) {
            refused.decision()
                    .refusing()
                    .forEach(status -> audit.refusedBy(status.limit().name()));
        }
    }

    @Service
    static class Reports {

        @RateLimited(name = "reports", maxRequests = "1", windowSize = "1m", key = "global")
        void report() {}
    }

    @Test
    void aRefusalIsAnEvent(@Autowired Reports reports, @Autowired Audit audit) throws InterruptedException {
        reports.report();
        assertThatThrownBy(reports::report).isInstanceOf(RateLimitExceededException.class);

        assertThat(audit.limits.poll(1, TimeUnit.MINUTES)).isEqualTo("reports");
    }
}
