package io.ratelimit.spring.autoconfigure;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.spring.RateLimitRefusedEvent;
import org.springframework.context.ApplicationEventPublisher;

/** Publishes each refusal, but for those of the listeners that hear of one. Thread-safe. */
final class RefusalEvents implements DecisionListener {

    private final ThreadLocal<Boolean> publishing = new ThreadLocal<>();
    private final ApplicationEventPublisher publisher;

    RefusalEvents(ApplicationEventPublisher publisher) {
        this.publisher = publisher;
    }

    @Override
    public void onDecision(Acquisition acquisition, Decision decision) {
        if (decision.allowed() || publishing.get() != null) {
            return;
        }
        publishing.set(true);
        try {
            publisher.publishEvent(new RateLimitRefusedEvent(acquisition, decision));
        } finally {
            publishing.remove();
        }
    }
}
