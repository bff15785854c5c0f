package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.ResponseEntity;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** The same as {@link io.ratelimit.spring.web.HandlersHttpTest} for methods that block, which WebFlux has no request for. */
class ExceptionHandlerHttpTest {

    private static final TestApp APP = TestApp.start(List.of(
            AtSettableTime.class,
            Plain.class,
            Shop.class,
            Wraps.class,
            ShopAdvice.class,
            WrapperAdvice.class,
            CatchAll.class,
            Begun.class,
            WholeController.class,
            Mailer.class,
            Mails.class,
            Pages.class,
            CautiousPart.class));

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

    @RestController
    static class Plain {
        @RateLimited(maxRequests = "1")
        @GetMapping("/plain")
        public String plain() {
            return "ok";
        }
    }

    @RestController
    static class Shop {
        @RateLimited(maxRequests = "1")
        @GetMapping("/shop")
        public String shop() {
            return "ok";
        }
    }

    @RestController
    static class Wraps {
        private final Mailer mailer;

        Wraps(Mailer mailer) {
            this.mailer = mailer;
        }

        @GetMapping("/wrapped")
        public String wrapped() {
            try {
                mailer.wrap();
                return "ok";
            } catch (RateLimitExceededException refusal) {
                throw new WrappedException(refusal);
            }
        }

        @GetMapping("/wrapped-in-something")
        public String wrappedInSomething() throws UnknownWrapperException {
            try {
                mailer.wrapInSomething();
                return "ok";
            } catch (RateLimitExceededException refusal) {
                throw new UnknownWrapperException(refusal);
            }
        }
    }

    @Order(1)
    @RestControllerAdvice(assignableTypes = Shop.class)
    static class ShopAdvice {
        @ExceptionHandler
        ResponseEntity<String> slowly(RateLimitExceededException refusal) {
            return ResponseEntity.status(420).body("shop");
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

    @Order(0)
    @RestControllerAdvice(basePackages = "elsewhere")
    static class CatchAll {
        @ExceptionHandler(Exception.class)
        ResponseEntity<String> any() {
            return ResponseEntity.status(500).body("any");
        }
    }

    /** What a handler had begun to answer when it was refused. */
    @RestController
    static class Begun {
        private final Mailer mailer;

        Begun(Mailer mailer) {
            this.mailer = mailer;
        }

        @CrossOrigin
        @GetMapping("/begun")
        public void begun(HttpServletResponse response) throws IOException {
            response.setHeader("ETag", "\"1\"");
            response.setHeader("Content-Disposition", "attachment");
            response.addHeader("Set-Cookie", "a=1");
            response.addHeader("Set-Cookie", "b=2");
            response.getWriter().write("half of it");
            mailer.begun();
        }
    }

    @RestController
    @RateLimited(maxRequests = "2")
    static class WholeController {
        @ModelAttribute
        public void model() {}

        @GetMapping("/whole")
        public String whole() {
            return "ok";
        }
    }

    static class Mailer {
        @RateLimited(maxRequests = "1")
        public void wrap() {}

        @RateLimited(maxRequests = "1")
        public void wrapInSomething() {}

        @RateLimited(maxRequests = "1")
        public void begun() {}

        @RateLimited(maxRequests = "1")
        public void send() {}
    }

    @RestController
    static class Mails {
        private final Mailer mailer;

        Mails(Mailer mailer) {
            this.mailer = mailer;
        }

        @RateLimited(maxRequests = "9")
        @GetMapping("/mails")
        public String send() {
            mailer.send();
            return "sent";
        }
    }

    @RestController
    static class Pages {

        @GetMapping("/page")
        public void page(HttpServletRequest request, HttpServletResponse response)
                throws ServletException, IOException {
            request.getRequestDispatcher("/part").include(request, response);
        }

        @RateLimited(maxRequests = "1")
        @GetMapping("/part")
        public String part() {
            return "part";
        }

        @GetMapping("/cautious-page")
        public void cautiousPage(HttpServletRequest request, HttpServletResponse response)
                throws ServletException, IOException {
            request.getRequestDispatcher("/cautious-part").include(request, response);
        }
    }

    /** Its handler of all exceptions is not written for a refusal. */
    @RestController
    static class CautiousPart {

        @RateLimited(maxRequests = "1")
        @GetMapping("/cautious-part")
        public String part() {
            return "part";
        }

        @ExceptionHandler(Exception.class)
        ResponseEntity<String> any() {
            return ResponseEntity.status(500).body("any");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NoController {

        @Bean("/handler")
        HttpRequestHandler handler(Mailer mailer) {
            return (request, response) -> mailer.send();
        }
    }

    @RestControllerAdvice
    static class JsonAdvice {
        @ExceptionHandler(produces = "application/json")
        ResponseEntity<String> slowly(RateLimitExceededException refusal) {
            return ResponseEntity.status(420).body("{}");
        }
    }

    @AfterAll
    static void stop() {
        APP.close();
    }

    @Test
    void anAdviceForOtherControllersDoesNotCount() {
        assertThat(APP.get("/plain").status()).isEqualTo(200);

        Answer refused = APP.get("/plain");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.body()).contains("\"violated-policies\":[\"Plain.plain\"]");
    }

    @Test
    void anAdviceForTheControllerGoesFirst() {
        APP.get("/shop");

        assertThat(APP.get("/shop").status()).isEqualTo(420);
    }

    @Test
    void whatSpringDoesNotAskAnAdviceForStaysARefusal() {
        try (TestApp app = TestApp.start(
                List.of(AtSettableTime.class, Plain.class, Mailer.class, NoController.class, JsonAdvice.class))) {
            app.get("/plain", "Accept", "text/plain");
            app.get("/handler");

            assertThat(List.of(app.get("/plain", "Accept", "text/plain"), app.get("/handler")))
                    .allSatisfy(refused -> {
                        assertThat(refused.status()).isEqualTo(429);
                        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
                        assertThat(refused.header("Retry-After")).isEqualTo("60");
                    });
            assertThat(app.get("/plain", "Accept", "application/json").status()).isEqualTo(420);
        }
    }

    @Test
    void aHandlerOfWhatWrapsTheRefusalGoesFirst() {
        APP.get("/wrapped");

        assertThat(APP.get("/wrapped").status()).isEqualTo(421);
    }

    @Test
    void aRefusalThatNobodyHandlesIsFoundInItsWrapping() {
        APP.get("/wrapped-in-something");

        assertThat(APP.get("/wrapped-in-something").status()).isEqualTo(429);
    }

    @Test
    void nothingIsLeftOfTheAnswerThatTheHandlerHadBegun() {
        APP.get("/begun");

        Answer refused = APP.get("/begun", "Origin", "https://elsewhere.example");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.body()).startsWith("{\"type\"").doesNotContain("half of it");
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.header("ETag")).isNull();
        assertThat(refused.header("Content-Disposition")).isNull();
        assertThat(refused.header("Access-Control-Allow-Origin")).isEqualTo("*");
        assertThat(refused.headers().allValues("Set-Cookie")).containsExactly("a=1", "b=2");
    }

    @Test
    void anAnnotatedControllerChargesARequestOnce() {
        assertThat(APP.get("/whole").header("X-RateLimit-Remaining")).isEqualTo("1");
        assertThat(APP.get("/whole").status()).isEqualTo(200);
        assertThat(APP.get("/whole").status()).isEqualTo(429);
    }

    @Test
    void ofWhatTheEndpointCallsOnlyTheLimitsThatRefuseAreShown() {
        Answer sent = APP.get("/mails");
        assertThat(sent.header("RateLimit")).isEqualTo("\"Mails.send\";r=8;t=60");

        Answer refused = APP.get("/mails");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isEqualTo("60");
        assertThat(refused.header("RateLimit")).isEqualTo("\"Mails.send\";r=7;t=60,\"Mailer.send\";r=0;t=60");
        assertThat(refused.body()).contains("\"status\":429,\"violated-policies\":[\"Mailer.send\"]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/page", "/cautious-page"})
    void aPageIsRefusedWithItsPart(String page) {
        assertThat(APP.get(page).body()).isEqualTo("part");

        Answer refused = APP.get(page);

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isEqualTo("60");
        assertThat(refused.body()).startsWith("{\"type\"").contains("\"violated-policies\"");
    }
}
