package io.ratelimit.sample.playground;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.stack.RateLimiterStack;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.util.MultiValueMap;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
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
    private final String instance = UUID.randomUUID().toString();

    PlaygroundController(RateLimiter limiter, StoreClock clock, CurrentRequest current) {
        this.limiter = limiter;
        this.clock = clock;
        this.current = current;
    }

    /**
     * What a page must know before it starts.
     *
     * @param instance differs from that of every other running sample, so that none is taken for two
     */
    record State(String instance, String store, long nowMicros) {}

    @GetMapping("/playground")
    State state() {
        boolean shared = limiter instanceof RateLimiterStack stack && stack.isShared();
        return new State(instance, shared ? "redis" : "memory", clock.nowMicros());
    }

    @PostMapping("/playground/decisions")
    String decide(@RequestParam MultiValueMap<String, String> parameters, HttpServletResponse response)
            throws InterruptedException {
        PlaygroundRequest asked = PlaygroundRequest.of(new Parameters(parameters));
        Acquisition acquisition = asked.acquisition();
        int arriving = asked.arriving();
        if (asked.at().isPresent()) {
            clock.waitUntil(asked.at().getAsLong());
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
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, invalid.getMessage());
    }
}
