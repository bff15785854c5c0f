package io.ratelimit.spring.web;

import io.ratelimit.spring.testing.Stack;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Requests that end only when the test says so, after the client has had the whole response. */
final class HeldEnds {

    private static volatile CompletableFuture<Void> held = CompletableFuture.completedFuture(null);

    private HeldEnds() {}

    static Class<?> of(Stack stack) {
        return stack == Stack.SERVLET ? OnServlet.class : OnReactive.class;
    }

    /** From now on no filter returns. */
    static void hold() {
        held = new CompletableFuture<>();
    }

    static void letGo() {
        held.complete(null);
    }

    static final class WrongPasswordException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @RestController
    static class OnBoth {

        @GetMapping("/next/{user}/text")
        ResponseEntity<String> text(@PathVariable String user, @RequestParam(defaultValue = "200") int status) {
            return ResponseEntity.status(status).body("done");
        }

        @GetMapping("/next/{user}/throws")
        String fails(@PathVariable String user) {
            throw new WrongPasswordException();
        }

        @ExceptionHandler
        ResponseEntity<String> wrongPassword(WrongPasswordException wrong) {
            return ResponseEntity.status(HttpStatus.UNAUTHORIZED).body("wrong");
        }
    }

    @RestController
    static class OnServlet extends OnBoth implements WebMvcConfigurer {

        @Override
        public void addInterceptors(InterceptorRegistry registry) {
            registry.addInterceptor(new HoldingInterceptor());
        }

        @GetMapping("/next/{user}/stream")
        void stream(HttpServletResponse response) throws IOException {
            response.setContentLength(4);
            response.getOutputStream().write("done".getBytes(StandardCharsets.UTF_8));
            response.flushBuffer();
        }

        @GetMapping("/next/{user}/writer")
        void writer(HttpServletResponse response) throws IOException {
            response.setCharacterEncoding("UTF-8");
            response.setHeader("Content-Length", "6");
            response.getWriter().print("d\u00f6n\u00e9");
            response.getWriter().flush();
        }

        @GetMapping("/next/{user}/closed")
        void closed(HttpServletResponse response) throws IOException {
            response.getWriter().print("done");
            response.getWriter().close();
        }

        @GetMapping("/next/{user}/late-length")
        void lateLength(HttpServletResponse response) throws IOException {
            response.getOutputStream().print("done");
            response.setContentLength(4);
        }

        /** Jetty sends what is written when it is as much as declared, in whichever order. */
        @Bean
        FilterRegistrationBean<Filter> asJetty() {
            FilterRegistrationBean<Filter> filter = new FilterRegistrationBean<>((request, response, chain) ->
                    chain.doFilter(request, new LengthSendingResponse((HttpServletResponse) response)));
            filter.setOrder(Ordered.HIGHEST_PRECEDENCE);
            filter.addUrlPatterns("/next/slots/late-length");
            return filter;
        }

        @GetMapping("/next/{user}/own-closed")
        void ownClosed(HttpServletRequest request) {
            answer(request, PrintWriter::close);
        }

        @GetMapping("/next/{user}/own-length")
        void ownLength(HttpServletRequest request, HttpServletResponse response) {
            response.setContentLength(4);
            answer(request, PrintWriter::flush);
        }

        /** The dispatched request has the server's own response again. */
        @GetMapping("/next/{user}/own-dispatch")
        void ownDispatch(HttpServletRequest request, @PathVariable String user) {
            AsyncContext async = request.startAsync();
            async.start(() -> async.dispatch("/next/" + user + "/text"));
        }

        /** Answers on a thread of its own, to the response of its own asynchronous context. */
        private static void answer(HttpServletRequest request, Consumer<PrintWriter> end) {
            AsyncContext async = request.startAsync();
            async.addListener(new HoldingListener());
            async.start(() -> {
                try {
                    PrintWriter writer = async.getResponse().getWriter();
                    writer.print("done");
                    end.accept(writer);
                } catch (IOException failed) {
                    throw new UncheckedIOException(failed);
                }
                async.complete();
            });
        }

        @GetMapping("/next/{user}/empty")
        void empty(HttpServletResponse response) throws IOException {
            response.setStatus(204);
            response.flushBuffer();
        }
    }

    private static final class LengthSendingResponse extends HttpServletResponseWrapper {

        LengthSendingResponse(HttpServletResponse response) {
            super(response);
        }

        @Override
        public void setContentLength(int bytes) {
            super.setContentLength(bytes);
            try {
                flushBuffer();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }

    /** Called when the handler has returned, before all filters have. */
    private static final class HoldingInterceptor implements HandlerInterceptor {

        @Override
        public void afterCompletion(
                HttpServletRequest request, HttpServletResponse response, Object handler, Exception failure) {
            if (!request.isAsyncStarted()) {
                held.orTimeout(1, TimeUnit.MINUTES).join();
            }
        }
    }

    /** Called before the limiter's listener, which is added later. */
    private static final class HoldingListener implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            held.orTimeout(1, TimeUnit.MINUTES).join();
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onError(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }

    @RestController
    static class OnReactive extends OnBoth {

        @Bean
        @Order(0)
        WebFilter holdingFilter() {
            return (exchange, chain) -> chain.filter(exchange).then(Mono.defer(() -> Mono.fromFuture(held, true)));
        }

        @GetMapping("/next/{user}/stream")
        Mono<Void> stream(ServerWebExchange exchange) {
            exchange.getResponse().getHeaders().setContentLength(4);
            return exchange.getResponse().writeWith(Flux.just("do", "ne").map(part -> buffer(part, exchange)));
        }

        @GetMapping("/next/{user}/writer")
        Mono<Void> writer(ServerWebExchange exchange) {
            return exchange.getResponse().writeWith(Mono.fromSupplier(() -> buffer("d\u00f6n\u00e9", exchange)));
        }

        private static DataBuffer buffer(String text, ServerWebExchange exchange) {
            return exchange.getResponse().bufferFactory().wrap(text.getBytes(StandardCharsets.UTF_8));
        }
    }
}
