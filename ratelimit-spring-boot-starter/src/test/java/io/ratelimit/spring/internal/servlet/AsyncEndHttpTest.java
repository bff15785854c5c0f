package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.asyncDispatch;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.ratelimit.spring.testing.OpenRequests;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.MvcResult;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import org.springframework.web.util.ContentCachingResponseWrapper;

/** What Spring MVC answers later is in flight until it is answered. */
class AsyncEndHttpTest {

    private static final String[] LIMITED = {
        "rate-limiter.routes.later.paths=/later/**",
        "rate-limiter.routes.later.key=global",
        "rate-limiter.routes.later.use-algo=concurrency",
        "rate-limiter.routes.later.max-requests=1",
        "rate-limiter.routes.timed.paths=/timed",
        "rate-limiter.routes.timed.key=global",
        "rate-limiter.routes.timed.max-requests=1",
        "rate-limiter.routes.timed.count=failures",
        "rate-limiter.routes.counted.paths=/counted/**",
        "rate-limiter.routes.counted.max-requests=100"
    };

    private static volatile CountDownLatch finish = new CountDownLatch(1);
    private static volatile boolean begun;
    private static TestApp app;

    record Context(WebApplicationContext application) {}

    /** Sends what it has when the chain has returned, and nothing of what comes then. */
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class Buffering extends OncePerRequestFilter {

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            ContentCachingResponseWrapper buffer = new ContentCachingResponseWrapper(response);
            chain.doFilter(request, buffer);
            buffer.copyBodyToResponse();
        }

        @Override
        protected boolean shouldNotFilter(HttpServletRequest request) {
            return !request.getRequestURI().endsWith("/buffered");
        }
    }

    @RestController
    static class Later {

        @GetMapping("/later/callable")
        Callable<String> callable() {
            return Later::hold;
        }

        @GetMapping("/later/deferred")
        DeferredResult<String> deferred() {
            DeferredResult<String> result = new DeferredResult<>(20_000L);
            new Thread(() -> result.setResult(hold())).start();
            return result;
        }

        @GetMapping("/later/deferred-error")
        DeferredResult<String> deferredError() {
            DeferredResult<String> result = new DeferredResult<>(20_000L);
            new Thread(() -> result.setErrorResult(new IllegalStateException(hold()))).start();
            return result;
        }

        @GetMapping("/later/body")
        StreamingResponseBody body() {
            return out -> out.write(hold().getBytes(StandardCharsets.UTF_8));
        }

        @GetMapping("/later/events")
        SseEmitter events() {
            SseEmitter emitter = new SseEmitter(20_000L);
            new Thread(() -> {
                        hold();
                        emitter.complete();
                    })
                    .start();
            return emitter;
        }

        @GetMapping("/timed")
        SseEmitter timed() throws IOException {
            SseEmitter emitter = new SseEmitter(100L);
            emitter.send("hello");
            return emitter;
        }

        @GetMapping("/later/own")
        void own(HttpServletRequest request) {
            AsyncContext async = request.startAsync();
            async.start(() -> {
                hold();
                async.complete();
            });
        }

        @GetMapping("/later/buffered")
        void buffered(HttpServletRequest request) {
            AsyncContext async = request.startAsync();
            async.start(() -> {
                hold();
                write(async.getResponse());
                async.complete();
            });
        }

        private static void write(ServletResponse response) {
            try {
                response.getOutputStream().print("answer");
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }

        @GetMapping("/later/never")
        CompletableFuture<String> never() {
            return new CompletableFuture<>();
        }

        /** Neither completes the request nor hears from the server that its client has left. */
        @GetMapping("/later/broken")
        void broken(@RequestParam String by, HttpServletRequest request, HttpServletResponse response) {
            request.startAsync();
            assertThatIOException().isThrownBy(() -> {
                switch (by) {
                    case "byte" -> response.getOutputStream().write(1);
                    case "bytes" -> response.getOutputStream().write(new byte[2]);
                    case "flush" -> response.getOutputStream().flush();
                    case "close" -> response.getOutputStream().close();
                    case "buffer" -> response.flushBuffer();
                    default -> {
                        response.getWriter().write("text");
                        assertThat(response.getWriter().checkError()).isTrue();
                        throw new IOException(by);
                    }
                }
            });
        }

        @GetMapping({"/later/now", "/unlimited/now"})
        String now() {
            return "now";
        }

        @GetMapping({"/later/future", "/counted/future"})
        CompletableFuture<String> future() {
            return CompletableFuture.completedFuture("now");
        }

        /** Returns when the server has noticed the failure: it is Tomcat that keeps it here. */
        @GetMapping("/later/failed")
        void failed(HttpServletRequest request) {
            request.startAsync().start(() -> {
                throw new IllegalStateException("on a thread of the server's");
            });
            await().until(() -> request.getAttribute(RequestDispatcher.ERROR_EXCEPTION) != null);
        }

        private static String hold() {
            begun = true;
            try {
                assertThat(finish.await(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            return "later";
        }
    }

    @BeforeAll
    static void start() {
        app = TestApp.start(
                List.of(Later.class, Buffering.class, Context.class, OpenRequests.of(Stack.SERVLET)), LIMITED);
    }

    /** A client may have its whole response before the server has ended the request. */
    @AfterEach
    void awaitAllEnded() {
        app.bean(OpenRequests.class).awaitNone();
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    /** Started without arguments, as without the limit: behind the filters, on the server's own response. */
    @Test
    void isSentBehindAFilterThatBuffers() {
        finish = new CountDownLatch(0);

        assertThat(app.get("/later/buffered").body()).isEqualTo("answer");
        awaitAllEnded();
    }

    @Test
    void aStreamOfEventsThatEndsByItsTimeIsNoFailure() {
        assertThat(app.get("/timed").status()).isEqualTo(200);
        assertThat(app.get("/timed").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"callable", "deferred", "deferred-error", "body", "events", "own"})
    void isInFlightUntilItIsComplete(String kind) {
        finish = new CountDownLatch(1);
        begun = false;
        CompletableFuture<Answer> later =
                CompletableFuture.supplyAsync(() -> app.get("/later/" + kind), task -> new Thread(task).start());
        await().until(() -> begun);
        assertThat(app.get("/later/now").status()).isEqualTo(429);

        finish.countDown();

        assertThat(later.join().status()).isEqualTo(kind.equals("deferred-error") ? 500 : 200);
        awaitAllEnded();
        assertThat(app.get("/later/now").status()).isEqualTo(200);
    }

    /** In an application of its own, because the one that counts open requests would never hear of its end either. */
    @Test
    void aTaskOfAnAsyncContextThatFailsEndsIt() {
        try (TestApp own = TestApp.start(List.of(Later.class), LIMITED)) {
            for (int i = 0; i < 3; i++) {
                assertThat(own.get("/later/failed").status()).isEqualTo(500);
            }
        }
    }

    @Test
    void inMockMvcItEndsWithTheAsyncDispatch() throws Exception {
        MockMvc mvc = mvc();
        for (int i = 0; i < 3; i++) {
            MvcResult started = mvc.perform(get("/later/future")).andReturn();
            assertThat(mvc.perform(get("/later/now")).andReturn().getResponse().getStatus())
                    .isEqualTo(429);
            MvcResult ended = mvc.perform(asyncDispatch(started)).andReturn();
            assertThat(ended.getResponse().getContentAsString()).isEqualTo("now");
        }
        assertThat(mvc.perform(get("/later/now")).andReturn().getResponse().getStatus())
                .isEqualTo(200);
    }

    /** As Tomcat does with one that leaves while the thread that began the request has not returned, or resets its stream. */
    @ParameterizedTest
    @ValueSource(strings = {"Broken pipe", "Client reset the stream before the request was fully read"})
    void aClientThatLeavesEndsItEvenIfTheServerSaysNothingMore(String failure) throws Exception {
        MockMvc mvc = mvc();
        MvcResult started = mvc.perform(get("/later/never")).andReturn();
        assertThat(mvc.perform(get("/later/now")).andReturn().getResponse().getStatus())
                .isEqualTo(429);
        MockAsyncContext async = (MockAsyncContext) started.getRequest().getAsyncContext();

        for (AsyncListener listener : async.getListeners()) {
            listener.onError(new AsyncEvent(async, new IOException(failure)));
        }

        assertThat(mvc.perform(get("/later/now")).andReturn().getResponse().getStatus())
                .isEqualTo(200);
    }

    /** As Jetty does with each that leaves while the application streams to it from a thread of its own. */
    @ParameterizedTest
    @ValueSource(strings = {"byte", "bytes", "flush", "close", "buffer", "writer"})
    void anAnswerThatCannotBeSentEndsItEvenIfTheServerSaysNothing(String by) throws Exception {
        MockMvc mvc = mvc(AsyncEndHttpTest::breakConnection);

        mvc.perform(get("/later/broken").param("by", by));

        assertThat(mvc.perform(get("/later/now")).andReturn().getResponse().getStatus())
                .isEqualTo(200);
    }

    private static void breakConnection(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        boolean broken = request.getParameter("by") != null;
        chain.doFilter(request, broken ? new BrokenResponse((HttpServletResponse) response) : response);
    }

    @Test
    void onlyRequestsThatHaveSomethingToEndHaveAListener() throws Exception {
        MockMvc mvc = mvc();
        assertThat(listeners(mvc.perform(get("/counted/future")).andReturn())).isEmpty();
        MvcResult started = mvc.perform(get("/later/future")).andReturn();
        assertThat(listeners(started)).contains(ResponseEnd.class);
        mvc.perform(asyncDispatch(started));
    }

    private static List<Class<?>> listeners(MvcResult result) {
        MockAsyncContext async = (MockAsyncContext) result.getRequest().getAsyncContext();
        return async.getListeners().stream()
                .<Class<?>>map(Object::getClass)
                .filter(type -> type.getName().startsWith("io.ratelimit"))
                .toList();
    }

    private static MockMvc mvc(Filter... before) {
        WebApplicationContext context = app.bean(Context.class).application();
        Stream<Filter> limiters = Stream.of("BeforeAuthentication", "Last")
                .map(stage -> registration(context, "rateLimiterRoutes" + stage).getFilter());
        Filter[] filters = Stream.concat(Stream.of(before), limiters).toArray(Filter[]::new);
        return MockMvcBuilders.webAppContextSetup(context).addFilters(filters).build();
    }

    private static FilterRegistrationBean<?> registration(WebApplicationContext context, String name) {
        return context.getBean(name, FilterRegistrationBean.class);
    }
}
