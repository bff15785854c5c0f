package io.ratelimit.spring.web;

import static io.ratelimit.spring.testing.LimitsEndpoint.json;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.spring.testing.AppTest;
import io.ratelimit.spring.testing.LimitsEndpoint;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.testing.Http.Answer;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An explained request is read as the server reads the same request. */
class ExplainedRequestHttpTest {

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

    abstract static class OnStack extends AppTest {

        OnStack(Stack stack) {
            super(
                    stack,
                    List.of(),
                    LimitsEndpoint.EXPOSED,
                    "management.endpoint.ratelimits.access=unrestricted",
                    "rate-limiter.window-size=1d",
                    "rate-limiter.routes.all.paths=/all",
                    "rate-limiter.routes.all.max-requests=10",
                    "rate-limiter.routes.all.key=ip",
                    "rate-limiter.routes.carts.paths=/carts",
                    "rate-limiter.routes.carts.key=cookie:cart",
                    "rate-limiter.routes.carts.max-requests=10");
        }

        @Test
        void aPreflightIsNotCounted() throws IOException {
            JsonNode preflight = explainPreflight("header=X-User:dan");
            assertThat(preflight.at("/routes/0/note").asText()).startsWith("does not apply: a CORS preflight");
            assertThat(preflight.at("/routes/0/limits")).isEmpty();

            JsonNode guess = explainPreflight("header=Authorization:Basic YTpi");
            assertThat(guess.at("/routes/0/limits")).isNotEmpty();
        }

        private JsonNode explainPreflight(String parameter) throws IOException {
            return json(
                    app(),
                    "path=/all",
                    "method=OPTIONS",
                    "header=Origin:https://a.example",
                    "header=Access-Control-Request-Method:GET",
                    parameter);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "cart=plain",
                    "cart=\"quoted\"",
                    "cart=first; cart=second",
                    "other=\"x\"; cart=\"behind\"",
                    "cart=two words",
                    "cart=\"two quoted\"",
                    "cart=\"\"",
                    "cart=a=b",
                    "cart=a,b",
                    "CART=shouted",
                    "cart"
                })
        void aCookieIsReadAsTheServerReadsIt(String cookie) throws IOException {
            LimitsEndpoint.send("DELETE", app(), "subject=ip:127.0.0.1");
            String before =
                    explainCart(cookie).at("/routes/0/limits/0/remaining").asText();
            Answer sent = app().raw("GET", "/carts", "Cookie", cookie);
            JsonNode after = explainCart(cookie);

            assertThat(sent.status()).isIn(404, 400);
            assertThat(before).isEqualTo("10");
            assertThat(after.at("/routes/0/limits/0/remaining").asText())
                    .as("%s %s", after.at("/routes/0/subject"), sent)
                    .isEqualTo("9");
        }

        private JsonNode explainCart(String cookie) throws IOException {
            return json(app(), "path=/carts", "address=127.0.0.1", "header=Cookie:" + cookie);
        }
    }
}
