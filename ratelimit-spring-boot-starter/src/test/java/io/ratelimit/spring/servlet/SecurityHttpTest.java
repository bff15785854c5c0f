package io.ratelimit.spring.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** Routes that need the principal decide after authentication, all others before it. */
class SecurityHttpTest {

    private static TestApp app;

    @Configuration(proxyBeanMethods = false)
    static class Secured {

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
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("alice").password("{noop}pw").build(),
                    User.withUsername("bob").password("{noop}pw").build(),
                    User.withUsername("ip-127.0.0.1").password("{noop}pw").build());
        }
    }

    @BeforeAll
    static void start() {
        app = TestApp.startSecured(
                List.of(AtSettableTime.class, Secured.class, ShopController.class),
                "rate-limiter.routes.mine.paths=/plain/mine",
                "rate-limiter.routes.mine.max-requests=2",
                "rate-limiter.routes.mine.key=principal",
                "rate-limiter.routes.flood.paths=/plain/flood",
                "rate-limiter.routes.flood.max-requests=3",
                "rate-limiter.routes.flood.key=ip",
                "rate-limiter.routes.open.paths=/two/open",
                "rate-limiter.routes.open.max-requests=2",
                "rate-limiter.routes.expression.paths=/plain/expression",
                "rate-limiter.routes.expression.max-requests=1",
                "rate-limiter.routes.expression.key=#principal?.name");
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @Test
    void countsWhoIsAuthenticatedAndKeepsThe429() {
        assertThat(get("/plain/mine", "alice", "pw").status()).isEqualTo(200);
        assertThat(get("/plain/mine", "alice", "pw").status()).isEqualTo(200);

        Answer refused = get("/plain/mine", "alice", "pw");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isEqualTo("60");
        assertThat(refused.header("RateLimit")).isEqualTo("\"mine\";r=0;t=60");
        assertThat(refused.body()).contains("#quota-exceeded");
        assertThat(get("/plain/mine", "bob", "pw").status()).isEqualTo(200);
    }

    @Test
    void aFloodOfLogInsIsStoppedBeforeAuthentication() {
        for (int i = 0; i < 3; i++) {
            Answer answer = get("/plain/flood", "alice", "wrong" + i);
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.header("RateLimit")).startsWith("\"flood\";r=" + (2 - i));
        }
        Answer refused = get("/plain/flood", "alice", "pw");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.body()).contains("\"violated-policies\":[\"flood\"]");
    }

    @Test
    void anAnonymousCallerIsCountedByAddress() {
        assertThat(app.get("/two/open").header("RateLimit")).startsWith("\"open\";r=1");
        assertThat(app.get("/two/open").status()).isEqualTo(200);
        assertThat(app.get("/two/open").status()).isEqualTo(429);
        assertThat(get("/two/open", "alice", "pw").status()).isEqualTo(200);
        assertThat(get("/two/open", "ip-127.0.0.1", "pw").status()).isEqualTo(200);
    }

    @Test
    void aRefusalByAnAnnotationStaysA429() {
        assertThat(get("/annotated?user=x", "alice", "pw").status()).isEqualTo(200);
        assertThat(get("/annotated?user=x", "alice", "pw").status()).isEqualTo(200);

        Answer refused = get("/annotated?user=x", "alice", "pw");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.body()).contains("#quota-exceeded");
    }

    @Test
    void anExpressionOverThePrincipalDecidesAfterAuthentication() {
        assertThat(get("/plain/expression", "alice", "pw").status()).isEqualTo(200);
        assertThat(get("/plain/expression", "bob", "pw").status()).isEqualTo(200);
        assertThat(get("/plain/expression", "alice", "pw").status()).isEqualTo(429);
    }

    private static Answer get(String path, String user, String password) {
        String basic = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        return app.get(path, "Authorization", "Basic " + basic);
    }
}
