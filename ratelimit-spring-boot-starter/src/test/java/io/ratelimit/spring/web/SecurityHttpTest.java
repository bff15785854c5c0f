package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Routes that need the principal decide after authentication, all others before it. */
class SecurityHttpTest {

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET);
        }
    }

    @Nested
    @Tag("reactive")
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE);
        }
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {
        private final Stack stack;

        OnStack(Stack stack) {
            this.stack = stack;
        }

        private TestApp app;

        @BeforeAll
        void start() {
            app = TestApp.startSecured(
                    stack,
                    List.of(AtSettableTime.class, Secured.by(stack), ShopController.class),
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
        void stop() {
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

        private Answer get(String path, String user, String password) {
            return app.get(path, "Authorization", Secured.basic(user, password));
        }
    }
}
