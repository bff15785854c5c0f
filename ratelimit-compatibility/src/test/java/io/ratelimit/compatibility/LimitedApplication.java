package io.ratelimit.compatibility;

import io.ratelimit.spring.RateLimited;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The least an application does with the starter, and Spring Security. */
@SpringBootApplication
public class LimitedApplication {

    @Bean
    @Order(1)
    SecurityFilterChain moved(HttpSecurity http) throws Exception {
        return http.securityMatcher("/moved")
                .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                .exceptionHandling(handling -> handling.authenticationEntryPoint(
                        (request, response, failure) -> response.sendRedirect("/elsewhere", 303, true)))
                .build();
    }

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.requestMatchers("/private")
                        .authenticated()
                        .anyRequest()
                        .permitAll())
                .httpBasic(Customizer.withDefaults())
                .build();
    }

    @RestController
    static class Endpoints {

        @RateLimited(key = "param:userId")
        @GetMapping("/check")
        String check() {
            return "checked";
        }

        @GetMapping("/routed")
        String routed() {
            return "routed";
        }

        @GetMapping("/private")
        String secret() {
            return "secret";
        }
    }
}
