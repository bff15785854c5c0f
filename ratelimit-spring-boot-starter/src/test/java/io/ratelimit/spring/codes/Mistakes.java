package io.ratelimit.spring.codes;

import io.ratelimit.spring.RateLimited;
import java.util.Map;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.handler.SimpleUrlHandlerMapping;
import org.springframework.web.socket.server.support.WebSocketHttpRequestHandler;

/** Beans with something wrong. */
final class Mistakes {

    private Mistakes() {}

    static class NoSuchFallback {
        @RateLimited(maxRequests = "5", fallbackMethod = "instead")
        public void call() {}
    }

    static class NameAlone {
        @RateLimited(name = "login")
        public void call() {}
    }

    static class TheSameTwice {
        @RateLimited(name = "login", maxRequests = "5")
        @RateLimited(name = "login", maxRequests = "5")
        public void call() {}
    }

    static class FinalMethod {
        @RateLimited(maxRequests = "5")
        public final void call() {}
    }

    static class LimitedAdvisor extends DefaultPointcutAdvisor {
        private static final long serialVersionUID = 1L;

        @RateLimited(maxRequests = "5")
        public void call() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class HandingOver {}

    static class HandedOver {
        @Async
        @RateLimited(maxRequests = "1", count = "failures", key = "global")
        public void call() {}
    }

    static class Blocking {
        @RateLimited(maxRequests = "5", key = "ip")
        public String call() {
            return "called";
        }
    }

    static class Global {
        @RateLimited(maxRequests = "5", key = "global")
        public String call() {
            return "called";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WebSocket {

        @Bean
        SimpleUrlHandlerMapping sessions() {
            return new SimpleUrlHandlerMapping(Map.of("/ws", new WebSocketHttpRequestHandler()));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BrokenView {

        @Bean
        View error() {
            return (model, request, response) -> {
                throw new IllegalStateException("broken");
            };
        }
    }
}
