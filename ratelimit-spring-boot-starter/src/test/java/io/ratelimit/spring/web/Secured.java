package io.ratelimit.spring.web;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** Spring Security with basic authentication; all but {@code /two} is for users. */
public final class Secured {

    private static final UserDetails[] USERS = {
        User.withUsername("alice").password("pw").build(),
        User.withUsername("bob").password("pw").build(),
        User.withUsername("ip-127.0.0.1").password("pw").build()
    };

    private Secured() {}

    /** Starts an application of this controller, with or without Spring Security. */
    static TestApp start(Stack stack, boolean secured, Class<?> controller, String... properties) {
        return secured
                ? TestApp.startSecured(stack, List.of(by(stack), controller), properties)
                : TestApp.start(stack, List.of(controller), properties);
    }

    /** The header {@code Authorization}. */
    static String basic(String user, String password) {
        return "Basic " + HttpHeaders.encodeBasicAuth(user, password, null);
    }

    /** The configuration. */
    public static Class<?> by(Stack stack) {
        return stack == Stack.SERVLET ? OnServlet.class : OnReactive.class;
    }

    @Configuration(proxyBeanMethods = false)
    @Import(PlainPasswords.class)
    static class OnServlet {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/two/**")
                            .permitAll()
                            .anyRequest()
                            .authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }

        @Bean
        InMemoryUserDetailsManager users() {
            return new InMemoryUserDetailsManager(USERS);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(PlainPasswords.class)
    static class OnReactive {

        @Bean
        SecurityWebFilterChain chain(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.pathMatchers("/two/**")
                            .permitAll()
                            .anyExchange()
                            .authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .anonymous(Customizer.withDefaults())
                    .build();
        }

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(USERS);
        }
    }
}
