package io.ratelimit.spring.testing;

import static org.awaitility.Awaitility.await;

import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.Filter;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.server.WebFilter;

/** Requests that an application has not ended yet: it may do so only when the client has the whole response. */
public final class OpenRequests {

    private final AtomicInteger open = new AtomicInteger();

    private OpenRequests() {}

    /** The configuration of an application that counts them. */
    public static Class<?> of(Stack stack) {
        return stack == Stack.SERVLET ? OnServlet.class : OnReactive.class;
    }

    /** Waits until everything is done that is done when requests end. */
    public void awaitNone() {
        await().until(() -> open.get() == 0);
    }

    private void end() {
        open.decrementAndGet();
    }

    @Configuration(proxyBeanMethods = false)
    static class OnServlet {

        @Bean
        OpenRequests openRequests() {
            return new OpenRequests();
        }

        @Bean
        FilterRegistrationBean<Filter> openRequestsFilter(OpenRequests requests) {
            FilterRegistrationBean<Filter> first = new FilterRegistrationBean<>((request, response, chain) -> {
                requests.open.incrementAndGet();
                try {
                    chain.doFilter(request, response);
                } finally {
                    if (request.isAsyncStarted()) {
                        request.getAsyncContext().addListener(new Completion(requests));
                    } else {
                        requests.end();
                    }
                }
            });
            first.setOrder(Ordered.HIGHEST_PRECEDENCE);
            return first;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnReactive {

        @Bean
        OpenRequests openRequests() {
            return new OpenRequests();
        }

        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        WebFilter openRequestsFilter(OpenRequests requests) {
            return (exchange, chain) -> {
                requests.open.incrementAndGet();
                return chain.filter(exchange).doFinally(signal -> requests.end());
            };
        }
    }

    private record Completion(OpenRequests requests) implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            requests.end();
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onError(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {
            event.getAsyncContext().addListener(this);
        }
    }
}
