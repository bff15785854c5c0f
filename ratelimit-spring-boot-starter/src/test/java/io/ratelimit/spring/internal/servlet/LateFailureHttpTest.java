package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.OpenRequests;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** A handler whose response looks complete may still fail. */
class LateFailureHttpTest {

    private static TestApp app;

    @RestController
    static class Vault {

        @GetMapping("/vault/writer")
        void writer(@RequestParam String pin, HttpServletResponse response) throws IOException {
            try (PrintWriter out = response.getWriter()) {
                out.print(secret(pin));
            }
        }

        @GetMapping("/vault/stream")
        void stream(@RequestParam String pin, HttpServletResponse response) throws IOException {
            try (OutputStream out = response.getOutputStream()) {
                out.write(secret(pin).getBytes(StandardCharsets.UTF_8));
            }
        }

        @GetMapping("/vault/later")
        StreamingResponseBody later(@RequestParam String pin) {
            return out -> {
                try (out) {
                    out.write(secret(pin).getBytes(StandardCharsets.UTF_8));
                }
            };
        }

        @GetMapping("/vault/answered")
        void answered(@RequestParam String pin, HttpServletResponse response) throws IOException {
            try (PrintWriter out = response.getWriter()) {
                out.print(secret(pin));
            } catch (IllegalStateException wrong) {
                throw new IllegalArgumentException(wrong);
            }
        }

        @ExceptionHandler
        String answer(IllegalArgumentException wrong) {
            return "wrong";
        }

        @GetMapping("/vault/length")
        void length(@RequestParam String pin, HttpServletResponse response) throws IOException {
            response.setContentLength(4);
            response.getOutputStream().print("done");
            secret(pin);
        }

        @GetMapping("/vault/redirect")
        void redirect(@RequestParam String pin, HttpServletResponse response) throws IOException {
            response.sendRedirect("/elsewhere");
            secret(pin);
        }

        /** Answers on the response of its own asynchronous context. */
        @GetMapping("/vault/own")
        void own(@RequestParam String pin, HttpServletRequest request) throws IOException {
            try (PrintWriter out = request.startAsync().getResponse().getWriter()) {
                out.print(secret(pin));
            }
            request.getAsyncContext().complete();
        }

        /** Has begun when it throws to the server what a connection of its own has failed with. */
        @GetMapping("/vault/listener")
        void listener(@RequestParam String pin, HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            AsyncContext async = request.startAsync();
            response.flushBuffer();
            response.getOutputStream().setWriteListener(new WriteListener() {

                @Override
                public void onWritePossible() throws IOException {
                    if (!pin.equals("right")) {
                        throw new IOException("Broken pipe");
                    }
                    async.complete();
                }

                @Override
                public void onError(Throwable failure) {}
            });
        }

        @GetMapping("/vault/dispatched")
        void dispatched(@RequestParam String pin, HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            if (request.getDispatcherType() == DispatcherType.ASYNC) {
                listener(pin, request, response);
            } else {
                request.startAsync().dispatch();
            }
        }

        private static String secret(String pin) {
            if (!pin.equals("right")) {
                throw new IllegalStateException("wrong");
            }
            return "done";
        }
    }

    @BeforeAll
    static void start() {
        app = TestApp.start(
                List.of(Vault.class, OpenRequests.of(Stack.SERVLET)),
                "rate-limiter.routes.vault.paths=/vault/**",
                "rate-limiter.routes.vault.key=#request.path() + #request.param('pin')",
                "rate-limiter.routes.vault.max-requests=2",
                "rate-limiter.routes.vault.window-size=1h",
                "rate-limiter.routes.vault.count=failures");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    /** Those with 200 have sent an empty body when they fail. */
    @ParameterizedTest
    @CsvSource({
        "writer, 200",
        "stream, 200",
        "later, 200",
        "answered, 200",
        "length, 500",
        "redirect, 500",
        "own, 200",
        "listener, 200",
        "dispatched, 200"
    })
    void aHandlerThatFailsThenIsCounted(String kind, int status) {
        assertThat(List.of(status(kind, "wrong"), status(kind, "wrong"), status(kind, "wrong")))
                .containsExactly(status, status, 429);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"writer", "stream", "later", "answered", "length", "redirect", "own", "listener", "dispatched"})
    void oneThatReturnsIsNoFailure(String kind) {
        assertThat(List.of(status(kind, "right"), status(kind, "right"), status(kind, "right")))
                .doesNotContain(429);
    }

    /** Returns when the request has ended, which may be after the client has the response. */
    private static int status(String kind, String pin) {
        int status = app.raw("GET", "/vault/" + kind + "?pin=" + pin).status();
        app.bean(OpenRequests.class).awaitNone();
        return status;
    }
}
