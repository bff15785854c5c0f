package io.ratelimit.spring.actuator;

import io.ratelimit.Acquisition;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Stages;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

/**
 * Shows the limits in force, and for one subject what each of them would answer; resets a subject where {@code
 * management.endpoint.ratelimits.access} is {@code unrestricted}. Never lists subjects, and charges nothing. Thread-safe.
 */
@WebEndpoint(id = "ratelimits", defaultAccess = Access.READ_ONLY)
public final class RateLimitsEndpoint {

    private final RateLimiter limiter;
    private final LimitsInForce limits;
    private final String store;

    /**
     * Shows what this limiter answers.
     *
     * @param store {@code redis} or {@code in-memory}
     */
    public RateLimitsEndpoint(RateLimiter limiter, LimitsInForce limits, String store) {
        this.limiter = limiter;
        this.limits = limits;
        this.store = store;
    }

    /** Returns limits, routes and annotated methods, each with where it was declared. */
    @ReadOperation
    public RateLimitsDescription limits() {
        return limits.describe(store);
    }

    /** Returns the state of every limit for a subject, such as {@code principal:alice}; 400 if it is blank. */
    @ReadOperation
    public WebEndpointResponse<Object> state(@Selector(match = Selector.Match.ALL_REMAINING) String... subject) {
        return each(
                subject,
                (limit, name) -> limiter.peekAsync(Acquisition.of(limit, name).withOnStoreFailure(FailurePolicy.LOCAL))
                        .<Object>thenApply(SubjectState::of));
    }

    /** Forgets what all limits have counted for a subject, and returns their names; 400 if it is blank. */
    @DeleteOperation
    public WebEndpointResponse<Object> reset(@Selector(match = Selector.Match.ALL_REMAINING) String... subject) {
        return each(subject, (limit, name) -> limiter.resetAsync(limit, name).thenApply(done -> limit.name()));
    }

    private WebEndpointResponse<Object> each(String[] segments, Operation operation) {
        String subject = String.join("/", segments);
        if (subject.isBlank()) {
            return error(
                    WebEndpointResponse.STATUS_BAD_REQUEST, "the subject is blank: name one such as principal:alice");
        }
        try {
            List<CompletionStage<Object>> started = limits.limits().stream()
                    .map(limit -> operation.on(limit, subject))
                    .toList();
            return new WebEndpointResponse<>(
                    started.stream().map(stage -> Stages.await(() -> stage)).toList());
        } catch (StoreUnavailableException unavailable) {
            return error(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(unavailable.getMessage()));
        }
    }

    private static WebEndpointResponse<Object> error(int status, String message) {
        return new WebEndpointResponse<>(Map.of("error", message), status);
    }

    /** What is done to one limit of the subject. */
    private interface Operation {
        CompletionStage<Object> on(Limit limit, String subject);
    }
}
