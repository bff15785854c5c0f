package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.testing.SettableClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;

/** Key, cost, condition and fallback. */
class AttributesTest {

    record Customer(String id) {}

    record Order(Customer customer) {}

    static class Service {
        @RateLimited(maxRequests = "1", key = "#order.customer.id")
        public String place(Order order) {
            return "placed";
        }

        @RateLimited(maxRequests = "1", key = "#token")
        public String open(Object token) {
            return "opened";
        }

        @RateLimited(maxRequests = "10", cost = "#items.size()")
        public int count(List<String> items) {
            return items.size();
        }

        @RateLimited(maxRequests = "1", condition = "#plan != 'premium'")
        public String watch(String plan) {
            return plan;
        }

        @RateLimited(maxRequests = "1", fallbackMethod = "cached")
        public String fresh(String what) {
            return "fresh " + what;
        }

        String cached(String what, RateLimitExceededException refusal) {
            return "cached " + what + " for " + refusal.decision().retryAfter().toSeconds();
        }

        @RateLimited(maxRequests = "1", fallbackMethod = "broken")
        public String breaking() {
            return "whole";
        }

        String broken() {
            throw new IllegalStateException("the fallback's own");
        }

        @RateLimited(maxRequests = "1", fallbackMethod = "unreadable")
        public String reading() throws IOException {
            return "read";
        }

        String unreadable() throws IOException {
            throw new IOException("the fallback's own");
        }
    }

    private final ApplicationContextRunner contexts =
            Contexts.plain().withUserConfiguration(AtSettableTime.class).withBean(Service.class);

    @Test
    void theKeyReachesIntoArguments() {
        with(service -> {
            assertThat(service.place(new Order(new Customer("c1")))).isEqualTo("placed");
            assertThat(service.place(new Order(new Customer("c2")))).isEqualTo("placed");
            refused(() -> service.place(new Order(new Customer("c1"))));
        });
    }

    /** What has no text of its own counts as a call of which the key is not known. */
    @Test
    void theKeyIsTheTextOfAnyValue() {
        with(service -> {
            service.open("t1".toCharArray());
            service.open("t2".getBytes(StandardCharsets.UTF_8));
            service.open(new Object());
            refused(() -> service.open("t1".toCharArray()));
            refused(() -> service.open("t2".getBytes(StandardCharsets.UTF_8)));
            refused(() -> service.open(new Object()));
        });
    }

    @Test
    void theCostIsWhatTheArgumentsSay() {
        with(service -> {
            assertThat(service.count(List.of("a", "b", "c", "d", "e", "f"))).isEqualTo(6);
            refused(() -> service.count(List.of("a", "b", "c", "d", "e")));
            assertThat(service.count(List.of("a", "b", "c", "d"))).isEqualTo(4);
            refused(() -> service.count(List.of("a")));
        });
    }

    @Test
    void anEmptyCostCountsAsOne() {
        with(service -> {
            for (int i = 0; i < 10; i++) {
                service.count(List.of());
            }
            refused(() -> service.count(List.of()));
        });
    }

    @Test
    void aCostThatNeverFitsIsAnErrorAndChargesNothing() {
        with(service -> {
            List<String> eleven = List.of("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k");
            assertThatExceptionOfType(CostExceedsCapacityException.class)
                    .isThrownBy(() -> service.count(eleven))
                    .satisfies(tooMuch -> assertThat(tooMuch.cost()).isEqualTo(11));
            assertThat(service.count(eleven.subList(0, 10))).isEqualTo(10);
        });
    }

    @Test
    void whereTheConditionIsFalseTheCallIsNeitherLimitedNorCounted() {
        with(service -> {
            for (int i = 0; i < 3; i++) {
                assertThat(service.watch("premium")).isEqualTo("premium");
            }
            assertThat(service.watch("free")).isEqualTo("free");
            refused(() -> service.watch("free"));
            assertThat(service.watch("premium")).isEqualTo("premium");
        });
    }

    @Test
    void theFallbackIsCalledInsteadAndToldWhy() {
        contexts.run(context -> {
            Service service = context.getBean(Service.class);
            assertThat(service.fresh("news")).isEqualTo("fresh news");
            context.getBean(SettableClock.class).advance(Duration.ofSeconds(12));
            assertThat(service.fresh("news")).isEqualTo("cached news for 48");
            context.getBean(SettableClock.class).advance(Duration.ofSeconds(48));
            assertThat(service.fresh("news")).isEqualTo("fresh news");
        });
    }

    @Test
    void whatTheFallbackThrowsIsThrown() {
        with(service -> {
            assertThat(service.breaking()).isEqualTo("whole");
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(service::breaking)
                    .withMessage("the fallback's own");
            assertThat(service.reading()).isEqualTo("read");
            assertThatExceptionOfType(IOException.class).isThrownBy(service::reading);
        });
    }

    private void with(ThrowingUse use) {
        ContextConsumer<AssertableApplicationContext> consumer = context -> use.of(context.getBean(Service.class));
        contexts.run(consumer);
    }

    interface ThrowingUse {
        void of(Service service) throws Exception;
    }

    private static void refused(Runnable call) {
        assertThatExceptionOfType(RateLimitExceededException.class).isThrownBy(call::run);
    }
}
