package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What counts of the ways in which a call can end: statuses, exceptions, and what a limit says for all that use it. */
class CountedHttpTest {

    static class BrokenOffException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Answered by a status alone, which a response that has begun takes no more. */
    static class SilentException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    static final class AnsweredException extends PartnerException {
        private static final long serialVersionUID = 1L;
    }

    /** A connection that the application makes breaks as that of its client would. */
    static class PartnerException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        PartnerException() {
            super("a partner has hung up", new IOException("Connection reset by peer"));
        }
    }

    @RestControllerAdvice
    static class Advice {
        @ExceptionHandler
        ResponseEntity<String> answer(AnsweredException failure) {
            return ResponseEntity.status(502).body("sorry");
        }

        @ExceptionHandler
        ResponseEntity<String> answer(BrokenOffException failure) {
            return ResponseEntity.ok("sorry");
        }

        @ExceptionHandler
        ResponseEntity<Void> answer(SilentException failure) {
            return ResponseEntity.status(500).build();
        }
    }

    @RestController
    static class Calls {

        @PostMapping({"/statuses", "/types", "/limit", "/all", "/empty"})
        Mono<ResponseEntity<String>> call(@RequestParam String ends) {
            return end(ends);
        }

        @RateLimited(
                value = "listed",
                key = "#user",
                count = {"418", "IllegalStateException"})
        @PostMapping("/annotated/listed")
        public Mono<ResponseEntity<String>> listed(@RequestParam String user, @RequestParam String ends) {
            return end(ends);
        }

        @RateLimited(key = "#user")
        @PostMapping("/annotated/default")
        public Mono<ResponseEntity<String>> ofDefault(@RequestParam String user, @RequestParam String ends) {
            return end(ends);
        }

        @RateLimited(value = "by-limit", key = "#user")
        @PostMapping("/annotated/limit")
        public Mono<ResponseEntity<String>> ofLimit(@RequestParam String user, @RequestParam String ends) {
            return end(ends);
        }

        @GetMapping("/limit/stream")
        Flux<String> stream() {
            return Flux.interval(Duration.ofMillis(5)).onBackpressureDrop().map(tick -> "tick ".repeat(500));
        }

        /** Its response has begun when it fails. */
        @GetMapping("/limit/breaks")
        Flux<String> breaks() {
            return begunUntil(new BrokenOffException());
        }

        @GetMapping("/limit/partner")
        Flux<String> partner() {
            return begunUntil(new PartnerException());
        }

        @GetMapping("/limit/silent")
        Flux<String> silent() {
            return begunUntil(new SilentException());
        }

        private static Flux<String> begunUntil(RuntimeException failure) {
            return Flux.concat(
                    Flux.just("begun".repeat(5_000)),
                    Mono.delay(Duration.ofMillis(50)).then(Mono.error(failure)));
        }

        private static Mono<ResponseEntity<String>> end(String ends) {
            return switch (ends) {
                case "throws" -> Mono.error(new IllegalStateException("broken"));
                case "throws partner" -> Mono.error(new PartnerException());
                case "answers partner" -> Mono.error(new AnsweredException());
                case "throws 409" -> Mono.error(new ResponseStatusException(HttpStatus.CONFLICT));
                default ->
                    Mono.just(ResponseEntity.status(Integer.parseInt(ends)).body("ended"));
            };
        }
    }

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET);
        }

        /** On the other stack, exceptions that a handler answers are not seen. */
        @Test
        void aRouteCountsAnExceptionOfItsOwnConnectionThatAHandlerAnswers() {
            aRouteCounts("/types", "listed", "answers partner", 1);
        }
    }

    @Nested
    @Tag("reactive")
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {
        private final TestApp app;

        OnStack(Stack stack) {
            this.app = TestApp.start(
                    stack,
                    List.of(AtSettableTime.class, Calls.class, Advice.class),
                    "rate-limiter.key=header:X-User",
                    "rate-limiter.max-requests=100",
                    "rate-limiter.count=409",
                    "rate-limiter.limits.listed.max-requests=100",
                    "rate-limiter.limits.by-limit.max-requests=100",
                    "rate-limiter.limits.by-limit.count=failures",
                    "rate-limiter.routes.statuses.paths=/statuses",
                    "rate-limiter.routes.statuses.limits=listed",
                    "rate-limiter.routes.statuses.count=401,409,418",
                    "rate-limiter.routes.types.paths=/types",
                    "rate-limiter.routes.types.limits=listed",
                    "rate-limiter.routes.types.count=ResponseStatusException,PartnerException,java.lang.IllegalStateException",
                    "rate-limiter.routes.limit.paths=/limit/**",
                    "rate-limiter.routes.limit.limits=by-limit,listed",
                    "rate-limiter.routes.all.paths=/all",
                    "rate-limiter.routes.all.limits=by-limit",
                    "rate-limiter.routes.all.count=all",
                    "rate-limiter.routes.empty.paths=/empty",
                    "rate-limiter.routes.empty.limits=by-limit",
                    "rate-limiter.routes.empty.count=");
        }

        @AfterAll
        void close() {
            app.close();
        }

        @ParameterizedTest
        @CsvSource({
            "/statuses, listed, 200, 0",
            "/statuses, listed, 401, 1",
            "/statuses, listed, 404, 0",
            "/statuses, listed, throws 409, 1",
            "/statuses, listed, throws, 0",
            "/statuses, listed, throws partner, 0",
            "/statuses, listed, answers partner, 0",
            "/types, listed, throws partner, 1",
            "/types, listed, 401, 0",
            "/types, listed, throws, 1",
            "/types, listed, throws 409, 1",
            "/limit, by-limit, 200, 0",
            "/limit, by-limit, 401, 1",
            "/limit, by-limit, throws, 1",
            "/limit, listed, 200, 1",
            "/all, by-limit, 200, 1",
            "/empty, by-limit, 200, 0",
            "/empty, by-limit, 401, 1"
        })
        void aRouteCounts(String path, String limit, String ends, int used) {
            String user = path + ends + limit;
            call(path, ends, user);
            awaitUsed(limit, "header:x-user:" + user, used);
        }

        @ParameterizedTest
        @CsvSource({
            "listed, listed, 200, 0",
            "listed, listed, 404, 0",
            "listed, listed, 418, 1",
            "listed, listed, throws, 1",
            "listed, listed, throws 409, 0",
            "default, default, 404, 0",
            "default, default, 409, 1",
            "limit, by-limit, 200, 0",
            "limit, by-limit, 404, 1",
            "limit, by-limit, throws, 1"
        })
        void anAnnotatedMethodCounts(String path, String limit, String ends, int used) {
            String user = path + ends;
            call("/annotated/" + path, ends, user);
            awaitUsed(limit, "value:" + user, used);
        }

        /** Nothing went wrong: this is how the clients of a stream without an end stop it. */
        @Test
        void aStreamThatItsClientLeavesDoesNotCount() throws IOException {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), app.port())) {
                socket.getOutputStream()
                        .write("GET /limit/stream HTTP/1.1\r\nHost: localhost\r\nX-User: leo\r\n\r\n"
                                .getBytes(StandardCharsets.ISO_8859_1));
                assertThat(socket.getInputStream().read()).isPositive();
                awaitUsed("by-limit", "header:x-user:leo", 1);
            }
            awaitUsed("by-limit", "header:x-user:leo", 0);
        }

        @ParameterizedTest
        @CsvSource({"breaks, bea, none", "partner, pia, none", "silent, sue, none", "silent, ulf, websocket"})
        void aResponseThatBreaksOffCountsAlsoIfAHandlerAnswersTheException(String path, String user, String upgrade)
                throws IOException {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), app.port())) {
                socket.getOutputStream()
                        .write(
                                "GET /limit/%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nUpgrade: %s\r\nX-User: %s\r\n\r\n"
                                        .formatted(path, upgrade, user)
                                        .getBytes(StandardCharsets.ISO_8859_1));
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                        .startsWith("HTTP/1.1 200");
            }
            Acquisition one = Acquisition.of(app.bean(Limits.class).get("by-limit"), "header:x-user:" + user);
            await().during(Duration.ofMillis(300))
                    .until(() -> app.bean(RateLimiter.class).peek(one).remaining() == 99);
        }

        private void call(String path, String ends, String user) {
            app.send(
                    "POST",
                    path + "?ends=" + ends.replace(" ", "%20") + "&user=" + user.replace(" ", "%20"),
                    "X-User",
                    user);
        }

        /**
         * A server may end a request when its client has the whole response already, and Tomcat may learn that a client
         * has left only when the asynchronous request is over, after 30 seconds.
         */
        private void awaitUsed(String limit, String subject, int used) {
            Acquisition one = Acquisition.of(app.bean(Limits.class).get(limit), subject);
            await().atMost(Duration.ofMinutes(2))
                    .untilAsserted(() -> assertThat(
                                    100 - app.bean(RateLimiter.class).peek(one).remaining())
                            .isEqualTo(used));
        }
    }
}
