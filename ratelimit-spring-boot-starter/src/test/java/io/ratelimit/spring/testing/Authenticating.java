package io.ratelimit.spring.testing;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.security.Principal;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** Filters of an application's own that set the principal to the value of a header, at an order of their own. */
public final class Authenticating {

    public static final String USER = "X-User";

    private Authenticating() {}

    public static Class<?> before(Stack stack) {
        return stack == Stack.SERVLET ? ServletEarly.class : ReactiveEarly.class;
    }

    public static Class<?> behind(Stack stack) {
        return stack == Stack.SERVLET ? ServletLate.class : ReactiveLate.class;
    }

    private static FilterRegistrationBean<Filter> servlet(int order) {
        FilterRegistrationBean<Filter> registration =
                new FilterRegistrationBean<>((request, response, chain) -> chain.doFilter(
                        new HttpServletRequestWrapper((HttpServletRequest) request) {
                            @Override
                            public Principal getUserPrincipal() {
                                String user = getHeader(USER);
                                return user == null ? super.getUserPrincipal() : () -> user;
                            }
                        },
                        response));
        registration.setOrder(order);
        return registration;
    }

    private static WebFilter reactive() {
        return (exchange, chain) -> chain.filter(exchange.mutate()
                .principal(Mono.justOrEmpty(exchange.getRequest().getHeaders().getFirst(USER))
                        .map(user -> () -> user))
                .build());
    }

    /** Behind, with a principal that cannot be found. */
    public static Class<?> never(Stack stack) {
        return stack == Stack.SERVLET ? ServletNever.class : ReactiveNever.class;
    }

    @Configuration(proxyBeanMethods = false)
    static class ServletNever {
        @Bean
        FilterRegistrationBean<Filter> authenticating() {
            return new FilterRegistrationBean<>((request, response, chain) -> chain.doFilter(
                    new HttpServletRequestWrapper((HttpServletRequest) request) {
                        @Override
                        public Principal getUserPrincipal() {
                            throw new IllegalStateException("no principal");
                        }
                    },
                    response));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReactiveNever {
        @Bean
        @Order(0)
        WebFilter authenticating() {
            return (exchange, chain) ->
                    chain.filter(exchange.mutate().principal(Mono.never()).build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ServletEarly {
        @Bean
        FilterRegistrationBean<Filter> authenticating() {
            return servlet(-102);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ServletLate {
        @Bean
        FilterRegistrationBean<Filter> authenticating() {
            return servlet(0);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReactiveEarly {
        @Bean
        @Order(-102)
        WebFilter authenticating() {
            return reactive();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ReactiveLate {
        @Bean
        @Order(0)
        WebFilter authenticating() {
            return reactive();
        }
    }
}
