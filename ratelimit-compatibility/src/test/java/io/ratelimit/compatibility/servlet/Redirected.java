package io.ratelimit.compatibility.servlet;

import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Redirects in a way that Servlet 6.1 adds. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(SecurityFilterChain.class)
class Redirected {

    @Bean
    @Order(1)
    SecurityFilterChain moved(HttpSecurity http) throws Exception {
        return http.securityMatcher("/moved")
                .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                .exceptionHandling(handling -> handling.authenticationEntryPoint(
                        (request, response, failure) -> response.sendRedirect("/elsewhere", 303, true)))
                .build();
    }
}
