package io.ratelimit.spring.web;

import java.nio.charset.StandardCharsets;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.HttpStatusEntryPoint;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.security.web.server.authentication.HttpStatusServerEntryPoint;
import org.springframework.security.web.server.authentication.WebFilterChainServerAuthenticationSuccessHandler;
import org.springframework.security.web.server.util.matcher.PathPatternParserServerWebExchangeMatcher;
import reactor.core.publisher.Mono;

/** Spring Security that answers in many ways. */
final class TurningAway {

    private static final UserDetails ALICE =
            User.withUsername("alice").password("pw").build();

    private static final String POLICY = "default-src 'self'";

    private TurningAway() {}

    @Configuration(proxyBeanMethods = false)
    @Import(PlainPasswords.class)
    static class UsersOnServlet {

        @Bean
        InMemoryUserDetailsManager users() {
            return new InMemoryUserDetailsManager(ALICE);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(PlainPasswords.class)
    static class UsersOnReactive {

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(ALICE);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(UsersOnServlet.class)
    static class OnServlet {

        @Bean
        @Order(1)
        SecurityFilterChain statusOnly(HttpSecurity http) throws Exception {
            return http.securityMatcher("/plain/status")
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .exceptionHandling(handling ->
                            handling.authenticationEntryPoint(new HttpStatusEntryPoint(HttpStatus.UNAUTHORIZED)))
                    .build();
        }

        @Bean
        @Order(2)
        SecurityFilterChain withBody(HttpSecurity http) throws Exception {
            return http.securityMatcher("/plain/body")
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .exceptionHandling(handling -> handling.authenticationEntryPoint((request, response, failure) -> {
                        response.setStatus(401);
                        response.setContentType("application/json");
                        response.setHeader("ETag", "\"abandoned\"");
                        response.getWriter().write("{\"who\":\"are you\"}");
                        response.getWriter().flush();
                    }))
                    .build();
        }

        @Bean
        SecurityFilterChain others(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/two/**")
                            .permitAll()
                            .requestMatchers("/plain/admin")
                            .hasRole("ADMIN")
                            .anyRequest()
                            .authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .formLogin(Customizer.withDefaults())
                    .headers(headers -> headers.contentSecurityPolicy(policy -> policy.policyDirectives(POLICY)))
                    .csrf(AbstractHttpConfigurer::disable)
                    .build();
        }
    }

    /** A session keeps its id when somebody logs in. */
    @Configuration(proxyBeanMethods = false)
    @Import(UsersOnServlet.class)
    static class OnServletByIdThatStays {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/plain/admin")
                            .hasRole("ADMIN")
                            .anyRequest()
                            .authenticated())
                    .formLogin(Customizer.withDefaults())
                    .sessionManagement(sessions -> sessions.sessionFixation(fixation -> fixation.none()))
                    .csrf(AbstractHttpConfigurer::disable)
                    .build();
        }
    }

    /** A log-in is answered by a page instead of a redirect. */
    @Configuration(proxyBeanMethods = false)
    @Import(UsersOnServlet.class)
    static class OnServletByForward {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .formLogin(form -> form.successForwardUrl("/plain/home"))
                    .csrf(AbstractHttpConfigurer::disable)
                    .build();
        }
    }

    /** A request logs in and goes on, and its session remembers that. */
    @Configuration(proxyBeanMethods = false)
    @Import(UsersOnServlet.class)
    static class OnServletByBasicWithSession {

        @Bean
        SecurityFilterChain chain(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(basic -> basic.securityContextRepository(new HttpSessionSecurityContextRepository()))
                    .build();
        }
    }

    /** A log-in is answered by the handler of its path. */
    @Configuration(proxyBeanMethods = false)
    @Import(UsersOnReactive.class)
    static class OnReactiveByHandler {

        @Bean
        SecurityWebFilterChain chain(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.anyExchange().authenticated())
                    .formLogin(form -> form.loginPage("/plain/login")
                            .authenticationSuccessHandler(new WebFilterChainServerAuthenticationSuccessHandler()))
                    .csrf(ServerHttpSecurity.CsrfSpec::disable)
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(UsersOnReactive.class)
    static class OnReactive {

        @Bean
        @Order(1)
        SecurityWebFilterChain statusOnly(ServerHttpSecurity http) {
            return http.securityMatcher(new PathPatternParserServerWebExchangeMatcher("/plain/status"))
                    .authorizeExchange(requests -> requests.anyExchange().authenticated())
                    .exceptionHandling(handling ->
                            handling.authenticationEntryPoint(new HttpStatusServerEntryPoint(HttpStatus.UNAUTHORIZED)))
                    .build();
        }

        @Bean
        @Order(2)
        SecurityWebFilterChain withBody(ServerHttpSecurity http) {
            return http.securityMatcher(new PathPatternParserServerWebExchangeMatcher("/plain/body"))
                    .authorizeExchange(requests -> requests.anyExchange().authenticated())
                    .exceptionHandling(handling -> handling.authenticationEntryPoint((exchange, failure) -> {
                        ServerHttpResponse response = exchange.getResponse();
                        response.setStatusCode(HttpStatus.UNAUTHORIZED);
                        response.getHeaders().setContentType(MediaType.APPLICATION_JSON);
                        response.getHeaders().set("ETag", "\"abandoned\"");
                        return response.writeWith(Mono.just(response.bufferFactory()
                                .wrap("{\"who\":\"are you\"}".getBytes(StandardCharsets.UTF_8))));
                    }))
                    .build();
        }

        @Bean
        SecurityWebFilterChain others(ServerHttpSecurity http) {
            return http.authorizeExchange(requests -> requests.pathMatchers("/two/**")
                            .permitAll()
                            .pathMatchers("/plain/admin")
                            .hasRole("ADMIN")
                            .anyExchange()
                            .authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .formLogin(Customizer.withDefaults())
                    .headers(headers -> headers.contentSecurityPolicy(policy -> policy.policyDirectives(POLICY)))
                    .csrf(ServerHttpSecurity.CsrfSpec::disable)
                    .build();
        }
    }
}
