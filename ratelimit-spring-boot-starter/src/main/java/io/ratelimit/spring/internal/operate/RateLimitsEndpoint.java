package io.ratelimit.spring.internal.operate;

import io.ratelimit.Acquisition;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreUnavailableException;
import io.ratelimit.internal.Stages;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.live.Overrides;
import io.ratelimit.spring.internal.operate.ExplainedRequest.BadRequestException;
import io.ratelimit.spring.internal.operate.RequestExplainer.RequestExplanation;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.lang.Nullable; // the one that Spring Boot 3 knows as optional

/**
 * Shows the limits in force, for one subject what each of them would answer, and for one request which of them would
 * limit it. If {@code management.endpoint.ratelimits.access} is {@code unrestricted}, resets a subject, and overrides the
 * numbers of a limit. Never lists subjects, and charges nothing. Thread-safe.
 */
@WebEndpoint(id = "ratelimits", defaultAccess = Access.READ_ONLY)
@RegisterReflectionForBinding({
    RateLimitsDescription.class,
    RequestExplanation.class,
    SubjectState.class,
    OverrideOperations.Overridden.class
})
public final class RateLimitsEndpoint {

    private final RateLimiter limiter;
    private final LimitsInForce limits;
    private final RequestExplainer explainer;
    private final OverrideOperations overrides;
    private final Function<Limit, String> from;

    /** Shows what this limiter answers. */
    public RateLimitsEndpoint(
            RateLimiter limiter, LimitsInForce limits, RequestExplainer explainer, Overrides overrides) {
        this.limiter = limiter;
        this.limits = limits;
        this.explainer = explainer;
        this.overrides = new OverrideOperations(overrides, limits);
        this.from = overrides::from;
    }

    /**
     * Returns limits, routes and annotated methods, each with where it was declared; or for a request which of them
     * would limit it, and what they would answer. A {@code path} selects the request; a {@code subject} selects the
     * state of that subject instead, as {@link #state} does for most subjects; a {@code code} the page about a message. 400
     * if one of them cannot be read.
     *
     * @param header one header, or a list of them, each {@code NAME:VALUE}; of no narrower type, because Spring Boot would
     *     split a single value at its commas
     */
    @ReadOperation
    public WebEndpointResponse<Object> limits(
            @Nullable String method,
            @Nullable String path,
            @Nullable Object header,
            @Nullable String principal,
            @Nullable String address,
            @Nullable String subject,
            @Nullable String code) {
        boolean request = Stream.of(method, path, header, principal, address).anyMatch(Objects::nonNull);
        if ((request ? 1 : 0) + (subject == null ? 0 : 1) + (code == null ? 0 : 1) > 1) {
            return error(
                    WebEndpointResponse.STATUS_BAD_REQUEST,
                    "subject asks for a state, code for a page, and the other parameters for a request: ask for one of them");
        }
        if (subject != null) {
            return state(subject);
        }
        if (code != null) {
            return page(code);
        }
        if (!request) {
            return new WebEndpointResponse<>(limits.describe(limiter));
        }
        return answered(() -> explainer.explain(method, path, header, principal, address));
    }

    /** Returns the state of every limit for a subject, such as {@code principal:alice}; 400 if it is blank. */
    @ReadOperation
    public WebEndpointResponse<Object> state(@Selector(match = Selector.Match.ALL_REMAINING) String... subject) {
        return each(
                subject,
                (limit, name) -> limiter.peekAsync(next(limit, name).withOnStoreFailure(FailurePolicy.LOCAL))
                        .<Object>thenApply(peeked -> SubjectState.of(peeked, from)));
    }

    /**
     * Overrides the numbers of a limit, for all instances if they share Redis.
     *
     * @param resource {@code limits} and the name of a limit
     * @param body {@code maxRequests}, {@code burst} if the limit is to have another one, and {@code for} how long
     */
    @WriteOperation
    public WebEndpointResponse<Object> override(
            @Selector(match = Selector.Match.ALL_REMAINING) String[] resource, @Nullable Map<String, Object> body) {
        return overrides
                .limitIn(resource)
                .map(limit -> answered(() -> overrides.begin(limit, body == null ? Map.of() : body)))
                .orElseGet(() -> error(
                        WebEndpointResponse.STATUS_NOT_FOUND,
                        "only limits are overridden: POST to limits/ and the name of one"));
    }

    /**
     * Forgets what all limits have counted for a subject, and returns their names; 400 if it is blank. Lifts the override of
     * a limit instead if it begins with {@code limits/}; {@link #resetParameter} resets a subject that does.
     */
    @DeleteOperation
    public WebEndpointResponse<Object> reset(@Selector(match = Selector.Match.ALL_REMAINING) String... subject) {
        return overrides
                .limitIn(subject)
                .map(limit -> answered(() -> overrides.lift(limit)))
                .orElseGet(() -> forget(subject));
    }

    private WebEndpointResponse<Object> forget(String... subject) {
        return each(subject, (limit, name) -> limiter.resetAsync(limit, name).thenApply(done -> limit.name()));
    }

    /** The same for any subject: a path cannot have one with {@code //} in it, or a slash at an end. */
    @DeleteOperation
    public WebEndpointResponse<Object> resetParameter(@Nullable String subject) {
        return forget(subject == null ? "" : subject);
    }

    private static WebEndpointResponse<Object> page(String code) {
        return Arrays.stream(MessageCode.values())
                .filter(known -> known.toString().equalsIgnoreCase(code))
                .findFirst()
                .map(known -> new WebEndpointResponse<Object>(Map.of("code", known.toString(), "page", known.page())))
                .orElseGet(() -> error(
                        WebEndpointResponse.STATUS_BAD_REQUEST,
                        "the code is unknown: name what a message begins with, such as code=RL-105"));
    }

    private WebEndpointResponse<Object> each(String[] segments, Operation operation) {
        String subject = String.join("/", segments);
        if (subject.isBlank()) {
            return error(
                    WebEndpointResponse.STATUS_BAD_REQUEST, "the subject is blank: name one such as principal:alice");
        }
        return answered(() -> {
            List<CompletionStage<Object>> started = limits.limits().stream()
                    .map(limit -> operation.on(limit, subject))
                    .toList();
            return started.stream().map(stage -> Stages.await(() -> stage)).toList();
        });
    }

    /** A call of cost 1, or of an element that is not counted yet, because elements of calls begin with their kind. */
    private static Acquisition next(Limit limit, String subject) {
        return limit.algorithm().countsElements()
                ? Acquisition.of(limit, subject, "another")
                : Acquisition.of(limit, subject);
    }

    /** Answers what the operation returns, or the status of the exception that it throws. */
    private static WebEndpointResponse<Object> answered(Supplier<Object> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (BadRequestException bad) {
            return error(WebEndpointResponse.STATUS_BAD_REQUEST, String.valueOf(bad.getMessage()));
        } catch (NoSuchElementException unknown) {
            return error(WebEndpointResponse.STATUS_NOT_FOUND, String.valueOf(unknown.getMessage()));
        } catch (StoreUnavailableException unavailable) {
            return error(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, String.valueOf(unavailable.getMessage()));
        }
    }

    static WebEndpointResponse<Object> badRequest(String message) {
        return error(WebEndpointResponse.STATUS_BAD_REQUEST, message);
    }

    private static WebEndpointResponse<Object> error(int status, String message) {
        return new WebEndpointResponse<>(Map.of("error", message), status);
    }

    /** An operation on one limit of the subject. */
    private interface Operation {
        CompletionStage<Object> on(Limit limit, String subject);
    }
}
