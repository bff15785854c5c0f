package io.ratelimit.spring.autoconfigure;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.DecisionListener;
import io.ratelimit.spring.RateLimitRefusedEvent;
import org.springframework.context.ApplicationEventPublisher;

/** Publishes refusals as events of the application. Admitted calls cost one check. Thread-safe. */
final class RefusalEvents implements DecisionListener {

    private final ApplicationEventPublisher publisher;

    RefusalEvents(ApplicationEventPublisher publisher) {
        this.publisher = publisher;
    }

    @Override
    public void onDecision(Acquisition acquisition, Decision decision) {
        if (!decision.allowed()) {
            publisher.publishEvent(new RateLimitRefusedEvent(acquisition, decision));
        }
    }
}
