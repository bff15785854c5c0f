package io.ratelimit.spring;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import org.springframework.context.ApplicationEvent;

/**
 * Published when limits refuse a call, whether of a route, an annotated method or the application's own code. A call that
 * is refused because the store fails under {@code closed} is not published.
 *
 * <pre>{@code
 * @Async
 * @EventListener
 * void on(RateLimitRefusedEvent refused) {
 *     refused.decision().refusing().forEach(status -> audit.refusedBy(status.limit().name()));
 * }
 * }</pre>
 *
 * <p>Listeners run before the caller gets the decision, on the thread that completes it, so one that does more than count
 * must be asynchronous. An exception that one throws is logged and does not change the decision.
 * Refusals of a listener's own calls on that thread are not published, so that a listener may be limited; those on
 * another thread are, so there it must ignore the refusals of its own limit.
 */
public final class RateLimitRefusedEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    private final transient Acquisition acquisition;
    private final transient Decision decision;

    public RateLimitRefusedEvent(Acquisition acquisition, Decision decision) {
        super("rate limiter");
        this.acquisition = acquisition;
        this.decision = decision;
    }

    /** Returns the acquisition that was refused. It contains the subjects, which belong in no log or metric. */
    public Acquisition acquisition() {
        return acquisition;
    }

    /** Returns the refusal: which limits refused, and when each would admit the call. */
    public Decision decision() {
        return decision;
    }
}
