package io.ratelimit.spring.web;

import io.ratelimit.spring.RateLimited;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** Methods with the annotations that {@link RandomApp} writes, and one without. */
@RestController
class RandomCalls {

    @RateLimited(
            value = "${one.value}",
            key = "${one.key}",
            element = "${one.element}",
            cost = "${one.cost}",
            count = "${one.count}",
            condition = "${one.condition}",
            onStoreFailure = "${one.policy}",
            fallbackMethod = "${one.fallback}")
    @RequestMapping(
            path = "/two/a",
            method = {RequestMethod.GET, RequestMethod.POST})
    public Mono<ResponseEntity<String>> one(@RequestParam(required = false) String ends) {
        return ended(ends);
    }

    @RateLimited(
            value = "${two.value}",
            key = "${two.key}",
            element = "${two.element}",
            cost = "${two.cost}",
            count = "${two.count}",
            condition = "${two.condition}",
            onStoreFailure = "${two.policy}")
    @RateLimited(
            algorithm = "${own.algorithm}",
            maxRequests = "${own.max}",
            windowSize = "20s",
            key = "${own.key}",
            cost = "${own.cost}",
            condition = "${own.condition}",
            onStoreFailure = "${own.policy}",
            fallbackMethod = "${own.fallback}")
    @GetMapping("/two/b")
    public Mono<ResponseEntity<String>> two(@RequestParam(required = false) String ends) {
        return ended(ends);
    }

    @RateLimited(
            name = "named",
            algorithm = "${named.algorithm}",
            maxRequests = "${named.max}",
            key = "${named.key}",
            cost = "${named.cost}",
            condition = "${named.condition}",
            onStoreFailure = "${named.policy}",
            fallbackMethod = "${named.fallback}")
    @PostMapping({"/two/c", "/two/d/{id}"})
    public Mono<ResponseEntity<String>> named(@RequestParam(required = false) String ends) {
        return ended(ends);
    }

    @GetMapping({"/two/c", "/two/d/{id}"})
    public Mono<ResponseEntity<String>> unlimited(@RequestParam(required = false) String ends) {
        return ended(ends);
    }

    Mono<ResponseEntity<String>> instead(String ends) {
        return Mono.just(ResponseEntity.ok("instead of " + ends));
    }

    private static Mono<ResponseEntity<String>> ended(String status) {
        return Mono.just(ResponseEntity.status(status == null ? 200 : Integer.parseInt(status))
                .header("X-Used", "2")
                .body("ended"));
    }
}
