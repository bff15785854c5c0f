package io.ratelimit.sample.playground;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.stack.RateLimiterStack;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.validation.BindException;
import org.springframework.validation.FieldError;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * What the playground page asks for. A response has the status, headers and body that the starter gives to a limited
 * endpoint. Requests that arrive together share a response, that of the last one; {@code Playground-Decisions} lists all.
 */
@RestController
class PlaygroundController {

    private final RateLimiter limiter;
    private final StoreClock clock;
    private final CurrentRequest current;

    PlaygroundController(RateLimiter limiter, StoreClock clock, CurrentRequest current) {
        this.limiter = limiter;
        this.clock = clock;
        this.current = current;
    }

    /** What a page must know before it starts. */
    record State(String store, long nowMicros) {}

    @GetMapping("/playground")
    State state() {
        boolean shared = limiter instanceof RateLimiterStack stack && stack.isShared();
        return new State(shared ? "redis" : "memory", clock.nowMicros());
    }

    @PostMapping("/playground/decisions")
    String decide(PlaygroundRequest asked, HttpServletResponse response) throws InterruptedException {
        Acquisition acquisition = asked.acquisition();
        int arriving = asked.arriving();
        if (asked.at() != null) {
            clock.waitUntil(asked.at());
        }
        List<CompletionStage<Decision>> stages = arriving == 0
                ? List.of(limiter.peekAsync(acquisition))
                : Stream.generate(() -> limiter.acquireAsync(acquisition))
                        .limit(arriving)
                        .toList();
        Outcomes outcomes = Outcomes.await(stages);
        response.setHeader("Playground-Decisions", outcomes.header());
        response.setHeader("Playground-Decided-At", String.valueOf(outcomes.decidedAtMicros(clock)));
        Decision last = outcomes.last();
        current.response(PlaygroundController.class).accept(last);
        if (arriving > 0 && !last.allowed()) {
            throw new RateLimitExceededException(last);
        }
        return arriving > 0 ? "allowed" : "looked";
    }

    @ExceptionHandler
    ProblemDetail invalid(IllegalArgumentException invalid) {
        return badRequest(invalid.getMessage());
    }

    @ExceptionHandler
    ProblemDetail unreadable(BindException unreadable) {
        return badRequest(unreadable.getFieldErrors().stream()
                .map(PlaygroundController::message)
                .collect(Collectors.joining("; ")));
    }

    private static String message(FieldError error) {
        return error.getRejectedValue() == null
                ? error.getField() + " is missing"
                : "%s '%s' is not a whole number".formatted(error.getField(), error.getRejectedValue());
    }

    private static ProblemDetail badRequest(@Nullable String detail) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, detail);
    }
}
