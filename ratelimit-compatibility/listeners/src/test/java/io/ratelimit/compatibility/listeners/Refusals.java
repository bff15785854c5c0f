package io.ratelimit.compatibility.listeners;

import io.ratelimit.spring.RateLimitRefusedEvent;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.event.EventListener;

/** Counts refusals. Thread-safe. */
final class Refusals {

    private final AtomicInteger count = new AtomicInteger();

    @EventListener(RateLimitRefusedEvent.class)
    void refused() {
        count.incrementAndGet();
    }

    int count() {
        return count.get();
    }
}
