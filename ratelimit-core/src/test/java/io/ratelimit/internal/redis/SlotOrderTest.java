package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Decision.Source;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SlotOrderTest {

    private static final Limit LIMIT = Limit.of("api", Algorithm.FIXED_WINDOW, 10, Duration.ofMinutes(1));

    private final SlotOrder order =
            new SlotOrder(charge -> Integer.parseInt(charge.subject().substring(1)));

    @Test
    void asksFirstTheSlotThatRefusedLast() {
        refuse(3);
        refuse(1);

        assertThat(order.parts(new Acquisition(charges(5))))
                .extracting(part -> part.charges().get(0).subject())
                .containsExactly("s1", "s3", "s0", "s2", "s4");
    }

    /** A sort that compares changing numbers may throw. */
    @Test
    void ordersManySlotsWhileOthersAreRefused() throws InterruptedException {
        AtomicBoolean done = new AtomicBoolean();
        Thread others = new Thread(() -> {
            for (int i = 0; !done.get(); i = (i + 7) % 64) {
                refuse(i);
            }
        });
        others.start();
        for (int i = 0; i < 20_000; i++) {
            assertThat(order.parts(new Acquisition(charges(64)))).hasSize(64);
        }
        done.set(true);
        others.join();
    }

    private void refuse(int slot) {
        LimitStatus refused = new LimitStatus(LIMIT, 0, Duration.ofSeconds(1), Duration.ofSeconds(1));
        order.refused(
                new Acquisition(List.of(charges(64).get(slot))),
                new Decision(false, List.of(refused), Source.STORE, Instant.EPOCH));
    }

    private static List<Charge> charges(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Charge(LIMIT, "s" + i, 1))
                .toList();
    }
}
