package io.ratelimit.spring.web;

import io.ratelimit.spring.RateLimited;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Endpoints whose calls stay in flight until the test ends them, on both web stacks. */
@RestController
public class HeldCalls {

    private final Map<String, Sinks.One<String>> held = new ConcurrentHashMap<>();

    /** Ends a call. */
    public void finish(String call) {
        held.get(call).tryEmitValue("done");
    }

    /** Whether the call has reached its endpoint. */
    public boolean isInFlight(String call) {
        return held.containsKey(call);
    }

    @GetMapping({"/held/mono", "/beside/mono"})
    Mono<String> mono(@RequestParam String call) {
        return hold(call);
    }

    @RateLimited(
            name = "one-at-a-time",
            algorithm = "concurrency",
            maxRequests = "1",
            windowSize = "10m",
            key = "#user")
    @GetMapping("/annotated/held")
    Mono<String> annotated(@RequestParam String user, @RequestParam String call) {
        return hold(call);
    }

    /** Sends its first part at once. */
    @GetMapping("/held/stream")
    Flux<String> stream(@RequestParam String call) {
        return Flux.concat(Mono.just("begun"), hold(call));
    }

    /** Goes on until its client leaves. */
    @GetMapping("/held/ticks")
    Flux<String> ticks(@RequestParam String call) {
        return Flux.concat(
                Mono.fromRunnable(() -> held.put(call, Sinks.one())),
                Flux.interval(Duration.ofMillis(5)).onBackpressureDrop().map(tick -> "tick ".repeat(500)));
    }

    @GetMapping("/held/plain")
    String plain() {
        return "done";
    }

    @GetMapping("/held/fails")
    String fails() {
        throw new IllegalStateException("the application's own");
    }

    @GetMapping("/held/fails-later")
    Mono<String> failsLater() {
        return Mono.error(new IllegalStateException("the application's own"));
    }

    private Mono<String> hold(String call) {
        return held.computeIfAbsent(call, name -> Sinks.one()).asMono();
    }
}
