package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.OpenRequests;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** A request whose response may look complete is in flight while its handler works. */
class EarlyEndHttpTest {

    /** More than the buffers of a connection hold. */
    private static final int LARGE = 20_000_000;

    private static TestApp app;

    /** Answer to another request that was sent before the handler had returned. */
    private static volatile int meanwhile;

    @RestController
    static class Working {

        @GetMapping("/busy/stream")
        void stream(HttpServletResponse response) throws IOException {
            response.getOutputStream().print("begun");
            response.getOutputStream().flush();
            work();
        }

        @GetMapping("/busy/writer")
        void writer(HttpServletResponse response) throws IOException {
            response.getWriter().print("begun");
            response.getWriter().flush();
            work();
        }

        @GetMapping("/busy/buffer")
        void buffer(HttpServletResponse response) throws IOException {
            response.flushBuffer();
            work();
        }

        @GetMapping("/busy/large")
        byte[] large() {
            return new byte[LARGE];
        }

        @GetMapping("/busy/text")
        void text(HttpServletResponse response) throws IOException {
            response.setContentLength(LARGE);
            response.getWriter().write("a".repeat(LARGE));
        }

        /** A page, which begins with a part that is served by another handler. */
        @GetMapping("/busy/page/{part}")
        void page(@PathVariable String part, HttpServletRequest request, HttpServletResponse response)
                throws IOException, ServletException {
            RequestDispatcher included = request.getRequestDispatcher("/part/" + part);
            included.include(request, response);
            work();
        }

        /** A page that has begun, and leaves out a part that fails. */
        @GetMapping("/busy/begun/{part}")
        void begun(@PathVariable String part, HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            response.flushBuffer();
            try {
                request.getRequestDispatcher("/part/" + part).include(request, response);
            } catch (ServletException failed) {
                response.getOutputStream().print("none");
            }
        }

        @GetMapping("/part/lost")
        String lost() {
            throw new UnsupportedOperationException();
        }

        @GetMapping("/part/answered")
        String answered() {
            throw new IllegalStateException();
        }

        @ExceptionHandler
        String answer(IllegalStateException failure) {
            return "none";
        }

        @GetMapping("/part/text")
        String part() {
            return "part";
        }

        @GetMapping("/part/length")
        void length(HttpServletResponse response) throws IOException {
            response.setContentLength(4);
            response.getOutputStream().print("part");
        }

        @GetMapping("/part/missing")
        void missing(HttpServletResponse response) throws IOException {
            response.sendError(404);
        }

        @GetMapping("/part/moved")
        void moved(HttpServletResponse response) throws IOException {
            response.sendRedirect("/elsewhere?error");
        }

        @GetMapping("/busy/now")
        String now() {
            return "now";
        }

        private static void work() {
            meanwhile = app.get("/busy/now").status();
        }
    }

    @BeforeAll
    static void start() {
        app = TestApp.start(
                List.of(Working.class, OpenRequests.of(Stack.SERVLET)),
                "rate-limiter.key=global",
                "rate-limiter.limits.one.use-algo=concurrency",
                "rate-limiter.limits.one.max-requests=1",
                "rate-limiter.limits.failures.max-requests=100",
                "rate-limiter.limits.failures.count=failures",
                "rate-limiter.routes.busy.paths=/busy/**",
                "rate-limiter.routes.busy.limits=one,failures");
    }

    @AfterEach
    void awaitAllEnded() {
        app.bean(OpenRequests.class).awaitNone();
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    /** The headers are all that the client gets, and it may send the next one as soon as it has them. */
    @ParameterizedTest
    @ValueSource(strings = {"stream", "writer", "buffer"})
    void headIsInFlightUntilItsHandlerHasReturned(String kind) {
        assertThat(app.send("HEAD", "/busy/" + kind).status()).isEqualTo(200);

        assertThat(meanwhile).isEqualTo(429);
        assertThat(app.send("HEAD", "/busy/" + kind).status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "length", "missing", "moved"})
    void aPartOfAPageDoesNotEndIt(String part) {
        assertThat(app.get("/busy/page/" + part).status()).isEqualTo(200);

        assertThat(meanwhile).isEqualTo(429);
    }

    @ParameterizedTest
    @ValueSource(strings = {"large", "text"})
    void aLargeBodyIsInFlightWhileItsClientReads(String kind) throws IOException {
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), app.port())) {
            client.getOutputStream()
                    .write("GET /busy/%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                            .formatted(kind)
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(client.getInputStream().readNBytes(12), StandardCharsets.US_ASCII))
                    .isEqualTo("HTTP/1.1 200");

            assertThat(app.get("/busy/now").status()).isEqualTo(429);

            assertThat(client.getInputStream().readAllBytes()).hasSizeGreaterThan(LARGE);
        }
        assertThat(app.get("/busy/now").status()).isEqualTo(200);
    }

    /** What a part would have answered by itself is no answer to the request for the page. */
    @Test
    void aPartThatFailsIsNoFailureOfThePage() {
        app.get("/busy/page/missing");
        awaitAllEnded();
        assertThat(app.get("/busy/now").header("RateLimit")).contains("\"failures\";r=99");
    }

    /** The page is whole, whatever becomes of the part. */
    @ParameterizedTest
    @ValueSource(strings = {"lost", "answered"})
    void aPartThatThrowsIsNoFailureOfThePage(String part) {
        assertThat(app.get("/busy/begun/" + part).body()).isEqualTo("none");
        awaitAllEnded();
        assertThat(app.get("/busy/now").header("RateLimit")).contains("\"failures\";r=99");
    }
}
