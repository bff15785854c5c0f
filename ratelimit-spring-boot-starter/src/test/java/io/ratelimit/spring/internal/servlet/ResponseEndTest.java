package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.ratelimit.spring.testing.TestApp;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.mock.web.DelegatingServletOutputStream;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** Ends that come in an order in which few servers bring them. */
class ResponseEndTest {

    private static TestApp app;

    private final MockHttpServletResponse response = new MockHttpServletResponse();

    record Context(ApplicationContext application) {}

    @BeforeAll
    static void start() {
        app = TestApp.start(
                List.of(Context.class),
                "rate-limiter.routes.slot.paths=/slot,/complete",
                "rate-limiter.routes.slot.use-algo=concurrency",
                "rate-limiter.routes.slot.max-requests=1",
                "rate-limiter.routes.slot.key=#request.path()",
                "rate-limiter.routes.failing.paths=/broken,/left,/unread,/partner,/begun",
                "rate-limiter.routes.failing.max-requests=1",
                "rate-limiter.routes.failing.count=failures",
                "rate-limiter.routes.failing.key=#request.path()");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    /** The page leaves out a part that has failed, and goes on later. */
    @Test
    void aClientThatLeavesEndsWhatAForwardHasLeftOpen() throws Exception {
        MockHttpServletRequest request = request("/page");
        limiter().doFilter(request, response, (page, out) -> {
            to(request, "/slot");
            assertThatExceptionOfType(ServletException.class)
                    .isThrownBy(() -> limiter().doFilter(page, out, (part, partOut) -> {
                        throw new ServletException("no such part");
                    }));
            page.startAsync();
        });
        assertThat(status("/slot")).isEqualTo(429);

        leave(request);

        assertThat(status("/slot")).isEqualTo(200);
    }

    /** Which some servers send at once. */
    @Test
    void theClientOfARedirectFindsItFree() throws Exception {
        limiter().doFilter(request("/slot"), response, (request, out) -> {
            ((EndingResponse) out).sendRedirect("/next");
            assertThat(status("/slot")).isEqualTo(200);
        });
    }

    @Test
    void anAnswerThatIsBrokenOffIsAFailureEvenIfItsClientLeavesThen() throws Exception {
        limiter().doFilter(request("/broken"), new BrokenResponse(response), (request, out) -> {
            response.setCommitted(true);
            RequestFailures.answering(
                    (HttpServletRequest) request, (HttpServletResponse) out, new IllegalStateException("late"));
            assertThatIOException().isThrownBy(out::flushBuffer);
        });

        assertThat(status("/broken")).isEqualTo(429);
    }

    @Test
    void aClientThatLeavesBeforeTheAnswerIsNoSuccessIfTheApplicationCompletesIt() throws Exception {
        MockHttpServletRequest request = request("/left");
        limiter().doFilter(request, response, (inner, out) -> {
            AsyncContext async = inner.startAsync();
            async.addListener(new Completing(async));
        });

        leave(request);

        assertThat(status("/left")).isEqualTo(429);
    }

    private record Completing(AsyncContext async) implements AsyncListener {

        @Override
        public void onError(AsyncEvent event) {
            async.complete();
        }

        @Override
        public void onComplete(AsyncEvent event) {}

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }

    @Test
    void aClientThatLeavesWhileItIsWrittenToIsNoSuccessIfTheApplicationCompletesIt() throws Exception {
        WriteListener written = written("/unread", new IOException());

        written.onError(new IOException("Broken pipe"));

        assertThat(status("/unread")).isEqualTo(429);
    }

    /** Servers pass it to the listener, as they do with one of the connection. */
    @Test
    void anExceptionOfAWriteListenerDoesNotSayThatItsClientHasLeft() throws Exception {
        IOException ofPartner = new IOException("Broken pipe");
        WriteListener written = written("/partner", ofPartner);
        assertThatIOException().isThrownBy(written::onWritePossible);

        written.onError(ofPartner);

        assertThat(status("/partner")).isEqualTo(200);
    }

    /** The server passes it to the listeners of the request, too, if that is not complete by then. */
    @Test
    void anExceptionOfAWriteListenerBreaksOffWhatHasBegun() throws Exception {
        IOException ofPartner = new IOException("Broken pipe");
        MockHttpServletRequest request = request("/begun");
        NonBlockingResponse begun = new NonBlockingResponse();
        limiter().doFilter(request, begun, (inner, out) -> {
            inner.startAsync();
            out.getOutputStream().setWriteListener(new Throwing(ofPartner, () -> {}));
            begun.setCommitted(true);
        });
        assertThatIOException().isThrownBy(begun.listener::onWritePossible);
        begun.listener.onError(ofPartner);

        fail(request, ofPartner);
        request.getAsyncContext().complete();

        assertThat(status("/begun")).isEqualTo(429);
    }

    /** Returns what the server has as listener, after the request of an application that completes it at each error. */
    private static WriteListener written(String path, IOException thrown) throws ServletException, IOException {
        NonBlockingResponse response = new NonBlockingResponse();
        limiter().doFilter(request(path), response, (request, out) -> {
            AsyncContext async = request.startAsync();
            out.getOutputStream().setWriteListener(new Throwing(thrown, async::complete));
        });
        return response.listener;
    }

    private record Throwing(IOException thrown, Runnable whenFailed) implements WriteListener {

        @Override
        public void onWritePossible() throws IOException {
            throw thrown;
        }

        @Override
        public void onError(Throwable failure) {
            whenFailed.run();
        }
    }

    private static final class NonBlockingResponse extends MockHttpServletResponse {

        private WriteListener listener;

        @Override
        public ServletOutputStream getOutputStream() {
            return new DelegatingServletOutputStream(OutputStream.nullOutputStream()) {
                @Override
                public void setWriteListener(WriteListener writing) {
                    listener = writing;
                }
            };
        }
    }

    /** As Undertow says of one that another thread completes at this moment. */
    @Test
    void aRequestThatIsCompleteBeforeAnybodyListensEndsAtOnce() throws Exception {
        limiter().doFilter(new CompletedRequest("/complete"), response, (request, out) -> {});

        assertThat(status("/complete")).isEqualTo(200);
    }

    private static final class CompletedRequest extends MockHttpServletRequest {

        CompletedRequest(String path) {
            super("GET", path);
            setServletPath(path);
        }

        @Override
        public boolean isAsyncStarted() {
            return true;
        }

        @Override
        public AsyncContext getAsyncContext() {
            throw new IllegalStateException("not started");
        }
    }

    /** Tomcat has passed the failure to the listeners, and lets no other thread ask for anything from then on; Jetty has forgotten all. */
    @Test
    void aWriteThatFailsWhenTheServerKnowsItAlreadyFailsAsWithoutALimit() throws Exception {
        ForgettingRequest request = new ForgettingRequest("/complete");
        ServletResponse[] outs = new ServletResponse[1];
        limiter().doFilter(request, new BrokenResponse(response), (inner, out) -> {
            inner.startAsync();
            outs[0] = out;
        });
        leave(request);
        for (RuntimeException forgotten :
                List.of(new IllegalStateException("onError() had returned"), new NullPointerException())) {
            request.forgotten = forgotten;
            assertThatIOException().isThrownBy(outs[0]::flushBuffer);
            assertThatIOException().isThrownBy(() -> outs[0].getOutputStream().write(new byte[10]));
            assertThatIOException().isThrownBy(() -> outs[0].getOutputStream().flush());
        }

        assertThat(status("/complete")).isEqualTo(200);
    }

    private static final class ForgettingRequest extends MockHttpServletRequest {

        private RuntimeException forgotten;

        ForgettingRequest(String path) {
            super("GET", path);
            setServletPath(path);
            setAsyncSupported(true);
        }

        @Override
        public boolean isAsyncStarted() {
            check();
            return super.isAsyncStarted();
        }

        @Override
        public void setAttribute(String name, Object value) {
            check();
            super.setAttribute(name, value);
        }

        private void check() {
            if (forgotten != null) {
                throw forgotten;
            }
        }
    }

    /** As servers say it whose response could not be sent. */
    private static void leave(MockHttpServletRequest request) throws IOException {
        fail(request, new IOException("Broken pipe"));
    }

    private static void fail(MockHttpServletRequest request, IOException failure) throws IOException {
        MockAsyncContext async = (MockAsyncContext) request.getAsyncContext();
        for (AsyncListener listener : List.copyOf(async.getListeners())) {
            listener.onError(new AsyncEvent(async, failure));
        }
    }

    private static int status(String path) throws ServletException, IOException {
        MockHttpServletResponse response = new MockHttpServletResponse();
        limiter().doFilter(request(path), response, (request, out) -> {});
        return response.getStatus();
    }

    private static MockHttpServletRequest request(String path) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setMethod("GET");
        request.setAsyncSupported(true);
        to(request, path);
        return request;
    }

    private static void to(MockHttpServletRequest request, String path) {
        request.setRequestURI(path);
        request.setServletPath(path);
    }

    private static Filter limiter() {
        return app.bean(Context.class)
                .application()
                .getBean("rateLimiterRoutesLast", FilterRegistrationBean.class)
                .getFilter();
    }
}
