package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.RateLimitRefusedEvent;
import io.ratelimit.spring.testing.Contexts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.event.EventListener;

class RefusalEventsTest {

    private static final Acquisition ALICE =
            Acquisition.of(Limit.of("one", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(300)), "alice");

    static class Audit {
        final List<RateLimitRefusedEvent> refused = new ArrayList<>();

        @EventListener
        void on(RateLimitRefusedEvent event) {
            refused.add(event);
        }
    }

    static class Broken {
        @EventListener
        void on(RateLimitRefusedEvent event) {
            throw new IllegalStateException("a listener that fails changes nothing");
        }
    }

    @Test
    void aRefusalIsPublishedWithWhatWasAskedAndTheDecision() {
        Contexts.plain().withBean(Audit.class).run(context -> {
            RateLimiter limiter = context.getBean(RateLimiter.class);
            limiter.acquire(ALICE);
            limiter.peek(ALICE);
            assertThat(context.getBean(Audit.class).refused).isEmpty();

            limiter.acquire(ALICE);
            limiter.acquireAsync(ALICE);

            assertThat(context.getBean(Audit.class).refused).hasSize(2).allSatisfy(event -> {
                assertThat(event.acquisition()).isEqualTo(ALICE);
                assertThat(event.decision().refusing()).hasSize(1);
                assertThat(event.toString()).doesNotContain("alice");
            });
        });
    }

    /** One mail a minute, say. */
    @Test
    void aListenerThatIsItselfRefusedIsToldOfOthersAlone() {
        Contexts.plain().withBean(Limited.class).run(context -> {
            RateLimiter limiter = context.getBean(RateLimiter.class);
            for (int i = 0; i < 5; i++) {
                limiter.acquire(ALICE);
            }
            assertThat(context.getBean(Limited.class).told).isEqualTo(4);
            assertThat(context.getBean(Limited.class).sent).isEqualTo(1);
        });
    }

    static class Limited {
        private static final Acquisition MAIL =
                Acquisition.of(Limit.of("mail", Algorithm.FIXED_WINDOW, 1, Duration.ofDays(300)), "all");

        private final RateLimiter limiter;
        private int told;
        private int sent;

        Limited(RateLimiter limiter) {
            this.limiter = limiter;
        }

        @EventListener
        void on(RateLimitRefusedEvent event) {
            told++;
            sent += limiter.acquire(MAIL).allowed() ? 1 : 0;
        }
    }

    @Test
    void aListenerThatFailsDoesNotFailTheCall() {
        Contexts.plain().withBean(Broken.class).run(context -> {
            RateLimiter limiter = context.getBean(RateLimiter.class);
            limiter.acquire(ALICE);

            assertThat(limiter.acquire(ALICE).allowed()).isFalse();
        });
    }

    @Test
    void reportOnlyRefusesNothing() {
        Contexts.plain()
                .withBean(Audit.class)
                .withPropertyValues("rate-limiter.report-only=true")
                .run(context -> {
                    context.getBean(RateLimiter.class).acquire(ALICE);
                    context.getBean(RateLimiter.class).acquire(ALICE);

                    assertThat(context.getBean(Audit.class).refused).isEmpty();
                });
    }
}
