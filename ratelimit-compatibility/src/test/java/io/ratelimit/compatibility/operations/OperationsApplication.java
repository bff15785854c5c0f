package io.ratelimit.compatibility.operations;

import io.ratelimit.spring.RateLimited;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.security.autoconfigure.actuate.web.servlet.EndpointRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.authentication.configuration.AuthenticationConfiguration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** An application that lets its operators at the endpoint, and its users log in with a JSON body, as the pages show it. */
@SpringBootApplication
public class OperationsApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(OperationsApplication.class, arguments);
    }

    @Bean
    @Order(1)
    SecurityFilterChain operations(HttpSecurity http) throws Exception {
        return http.securityMatcher(EndpointRequest.to("ratelimits"))
                .authorizeHttpRequests(requests -> requests.anyRequest().hasRole("OPS"))
                .httpBasic(Customizer.withDefaults())
                .csrf(csrf -> csrf.disable())
                .build();
    }

    @Bean
    AuthenticationManager authentication(AuthenticationConfiguration configuration) throws Exception {
        return configuration.getAuthenticationManager();
    }

    @Bean
    SecurityFilterChain application(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/login/**")
                        .permitAll()
                        .anyRequest()
                        .authenticated())
                .csrf(csrf -> csrf.ignoringRequestMatchers("/login/**"))
                .httpBasic(Customizer.withDefaults())
                .build();
    }

    @Bean
    UserDetailsService users() {
        return new InMemoryUserDetailsManager(
                User.withUsername("user")
                        .password("{noop}password")
                        .roles("OPS")
                        .build(),
                User.withUsername("alice").password("{noop}right").roles("USER").build());
    }

    @RestController
    static class LogIn {

        private final AuthenticationManager authentication;

        LogIn(AuthenticationManager authentication) {
            this.authentication = authentication;
        }

        record Credentials(String username, String password) {}

        @RateLimited(value = "login", key = "#body.username")
        @PostMapping("/login")
        String logIn(@RequestBody Credentials body) {
            return authentication
                    .authenticate(UsernamePasswordAuthenticationToken.unauthenticated(body.username(), body.password()))
                    .getName();
        }
    }
}
