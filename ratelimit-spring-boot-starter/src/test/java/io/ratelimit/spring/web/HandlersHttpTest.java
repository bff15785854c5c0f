package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AppTest;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.testing.Http.Answer;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Refusals among the exception handlers of an application, by Spring's rules. */
class HandlersHttpTest {

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET);
        }
    }

    @Nested
    @Tag("reactive")
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE);
        }
    }

    static class WrappedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        WrappedException(Throwable cause) {
            super(cause);
        }
    }

    static class UnknownWrapperException extends Exception {
        private static final long serialVersionUID = 1L;

        UnknownWrapperException(Throwable cause) {
            super(cause);
        }
    }

    @ResponseStatus(HttpStatus.CONFLICT)
    static class ConflictException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        ConflictException(Throwable cause) {
            super(cause);
        }
    }

    @RestController
    static class Plain {

        @RateLimited(maxRequests = "1")
        @GetMapping("/plain")
        Mono<String> plain() {
            return Mono.just("ok");
        }

        @RateLimited(maxRequests = "1")
        @GetMapping("/many")
        Flux<String> many() {
            return Flux.just("o", "k");
        }
    }

    @RestController
    static class Named {

        @RateLimited(maxRequests = "1")
        @GetMapping("/named")
        Mono<String> named() {
            return Mono.just("ok");
        }
    }

    static class Mailer {

        @RateLimited(maxRequests = "1", key = "#kind")
        public Mono<String> send(String kind) {
            return Mono.just("sent");
        }
    }

    @RestController
    static class Mails {

        private final Mailer mailer;

        Mails(Mailer mailer) {
            this.mailer = mailer;
        }

        @RateLimited(maxRequests = "9")
        @GetMapping("/mails")
        public Mono<String> mails() {
            return mailer.send("mail");
        }

        @GetMapping("/wrapped")
        Mono<String> wrapped() {
            return mailer.send("wrapped").onErrorMap(WrappedException::new);
        }

        @GetMapping("/wrapped-in-something")
        Mono<String> wrappedInSomething() {
            return mailer.send("something").onErrorMap(UnknownWrapperException::new);
        }

        @GetMapping("/with-a-status")
        Mono<String> withAStatus() {
            return mailer.send("status")
                    .onErrorMap(refusal -> new ResponseStatusException(HttpStatus.BAD_GATEWAY, "busy", refusal));
        }

        @GetMapping("/with-an-annotated-status")
        Mono<String> withAnAnnotatedStatus() {
            return mailer.send("annotated")
                    .onErrorMap(refusal -> new IllegalStateException(new ConflictException(refusal)));
        }

        @GetMapping("/recovered")
        Mono<String> recovered() {
            return mailer.send("recovered").onErrorReturn("later");
        }

        @GetMapping("/begun")
        Mono<ResponseEntity<String>> begun() {
            return mailer.send("begun")
                    .map(body -> ResponseEntity.ok().eTag("1").body(body));
        }
    }

    @Order(1)
    @RestControllerAdvice(assignableTypes = Named.class)
    static class NamedAdvice {

        @ExceptionHandler
        ResponseEntity<String> slowly(RateLimitExceededException refusal) {
            return ResponseEntity.status(420).body("named");
        }
    }

    @Order(2)
    @RestControllerAdvice
    static class WrapperAdvice {

        @ExceptionHandler
        ResponseEntity<String> wrapped(WrappedException failure) {
            return ResponseEntity.status(421).body("wrapped");
        }
    }

    @Order(3)
    @RestControllerAdvice
    static class CatchAll {

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> any() {
            return ResponseEntity.status(500).body("any");
        }
    }

    abstract static class OnStack extends AppTest {

        OnStack(Stack stack) {
            super(
                    stack,
                    List.of(
                            AtSettableTime.class,
                            Plain.class,
                            Named.class,
                            Mailer.class,
                            Mails.class,
                            NamedAdvice.class,
                            WrapperAdvice.class,
                            CatchAll.class));
        }

        private Answer second(String path) {
            assertThat(app().get(path).status()).isEqualTo(200);
            return app().get(path);
        }

        @Test
        void aCatchAllComesLater() {
            for (String method : List.of("plain", "many")) {
                Answer refused = second("/" + method);
                assertThat(refused.status()).isEqualTo(429);
                assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
                assertThat(refused.body()).contains("\"violated-policies\":[\"Plain." + method + "\"]");
            }
        }

        @Test
        void aHandlerThatNamesTheRefusalGoesFirst() {
            assertThat(second("/named").status()).isEqualTo(420);
        }

        @Test
        void aHandlerOfWhatWrapsTheRefusalGoesFirst() {
            assertThat(second("/wrapped").status()).isEqualTo(421);
        }

        @Test
        void aRefusalThatNobodyHandlesIsFoundInItsWrapping() {
            assertThat(second("/wrapped-in-something").status()).isEqualTo(429);
        }

        /** It is a failure as others are then, which the catch-all of the application answers. */
        @Test
        void aStatusThatTheEndpointGivesToTheRefusalHolds() {
            assertThat(second("/with-a-status").body()).isEqualTo("any");
            assertThat(second("/with-an-annotated-status").body()).isEqualTo("any");
        }

        @Test
        void whatTheEndpointMakesOfARefusalIsItsAnswer() {
            assertThat(second("/recovered").body()).isEqualTo("later");
        }

        @Test
        void ofWhatTheEndpointCallsOnlyTheLimitsThatRefuseAreShown() {
            Answer refused = second("/mails");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Retry-After")).isEqualTo("60");
            assertThat(refused.header("RateLimit")).isEqualTo("\"Mails.mails\";r=7;t=60,\"Mailer.send\";r=0;t=60");
            assertThat(refused.body()).contains("\"status\":429,\"violated-policies\":[\"Mailer.send\"]");
        }

        @Test
        void nothingIsLeftOfAnotherAnswer() {
            Answer refused = second("/begun");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("ETag")).isNull();
        }
    }
}
