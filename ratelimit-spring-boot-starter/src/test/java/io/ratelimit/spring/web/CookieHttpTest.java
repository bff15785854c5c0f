package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.AppTest;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.testing.Http.Answer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.web.bind.annotation.CookieValue;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A key counts a cookie as the handler gets it, however that is spelt. */
class CookieHttpTest {

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

    @RestController
    static class Echo {
        @GetMapping("/who")
        String who(@CookieValue String who) {
            return who;
        }
    }

    abstract static class OnStack extends AppTest {

        OnStack(Stack stack) {
            super(
                    stack,
                    List.of(Echo.class),
                    "rate-limiter.routes.who.paths=/who",
                    "rate-limiter.routes.who.max-requests=9",
                    "rate-limiter.routes.who.window-size=1d",
                    "rate-limiter.routes.who.key=cookie:who");
        }

        @Test
        void allSpellingsOfAValueAreOneSubject() {
            Map<String, Integer> counted = new HashMap<>();
            for (String spelling : List.of(
                    "abc", "%61bc", "a%62c", "%61%62%63", "a+c", "a%2Bc", "a%2bc", "a%20c", "%C3%A4", "%c3%a4")) {
                Answer answer = app().get("/who", "Cookie", "who=" + spelling);
                assertThat(answer.status()).as(spelling).isEqualTo(200);
                assertThat(answer.header("RateLimit"))
                        .as(spelling)
                        .startsWith("\"who\";r=" + (9 - counted.merge(answer.body(), 1, Integer::sum)) + ";");
            }
        }

        @Test
        void whatCannotBeDecodedIsAValueToo() {
            for (int i = 8; i >= 7; i--) {
                assertThat(remaining("%")).startsWith("\"who\";r=" + i + ";");
                assertThat(remaining("%zz")).startsWith("\"who\";r=" + i + ";");
            }
        }

        private String remaining(String cookie) {
            return app().get("/who", "Cookie", "who=" + cookie).header("RateLimit");
        }
    }
}
