package io.ratelimit.spring.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.HttpStatusEntryPoint;

/** What Spring Security answers itself is charged by address to the routes that would have decided after it. */
class TurnedAwayHttpTest {

    private TestApp app;

    @Configuration(proxyBeanMethods = false)
    static class Secured {

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
                    .csrf(AbstractHttpConfigurer::disable)
                    .build();
        }

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("alice").password("{noop}pw").build());
        }
    }

    @BeforeEach
    void start() {
        app = TestApp.startSecured(
                List.of(AtSettableTime.class, Secured.class, ShopController.class),
                "rate-limiter.routes.login.paths=/login",
                "rate-limiter.routes.login.methods=POST",
                "rate-limiter.routes.login.max-requests=1",
                "rate-limiter.routes.all.paths=/plain/**",
                "rate-limiter.routes.all.max-requests=3");
    }

    @AfterEach
    void stop() {
        app.close();
    }

    @Test
    void logInsAreCountedByTheDefaultKey() {
        Answer first = app.send("POST", "/login?username=alice&password=x");
        assertThat(first.status()).isEqualTo(302);
        assertThat(first.header("RateLimit")).isEqualTo("\"login\";r=0;t=60");
        for (int i = 0; i < 3; i++) {
            Answer refused = app.send("POST", "/login?username=alice&password=" + i);
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Location")).isNull();
            assertThat(refused.header("Retry-After")).isEqualTo("60");
        }
    }

    @Test
    void aLogInThatIsRefusedGetsNoSession() {
        app.send("POST", "/login?username=alice&password=x");

        Answer refused = app.send("POST", "/login?username=alice&password=pw");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Set-Cookie")).isNull();
    }

    @Test
    void wrongPasswordsAreCountedByAddressAndSpendNothingOfTheUsers() {
        for (int i = 0; i < 3; i++) {
            Answer turnedAway = as("alice", "wrong" + i, "/plain/x");
            assertThat(turnedAway.status()).isEqualTo(401);
            assertThat(turnedAway.header("RateLimit")).isEqualTo("\"all\";r=" + (2 - i) + ";t=60");
        }
        for (int i = 0; i < 5; i++) {
            Answer refused = as("alice", "wrong" + i, "/plain/x");
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.body()).contains("#quota-exceeded");
        }
        assertThat(as("alice", "pw", "/plain/x").header("RateLimit")).isEqualTo("\"all\";r=2;t=60");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/plain/status", "/plain/body"})
    void howeverItIsAnswered(String path) {
        for (int i = 0; i < 3; i++) {
            assertThat(app.get(path).status()).isEqualTo(401);
        }

        Answer refused = app.get(path);

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.body()).startsWith("{\"type\"").contains("#quota-exceeded");
    }

    @Test
    void aUserWhoMayNotIsCountedByAddressToo() {
        for (int i = 0; i < 3; i++) {
            assertThat(as("alice", "pw", "/plain/admin").status()).isEqualTo(403);
        }
        assertThat(as("alice", "pw", "/plain/admin").status()).isEqualTo(429);
        assertThat(as("alice", "pw", "/plain/x").header("RateLimit")).isEqualTo("\"all\";r=2;t=60");
    }

    @Test
    void whoIsAuthenticatedIsCountedOnce() {
        for (int i = 2; i >= 0; i--) {
            assertThat(as("alice", "pw", "/plain/x").header("RateLimit")).isEqualTo("\"all\";r=" + i + ";t=60");
        }
        assertThat(as("alice", "pw", "/plain/x").status()).isEqualTo(429);
        assertThat(app.get("/plain/x").status()).isEqualTo(401);
    }

    private Answer as(String user, String password, String path) {
        String basic = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        return app.get(path, "Authorization", "Basic " + basic);
    }
}
