package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Annotated controllers answer as the filter does. */
class AnnotatedHttpTest {

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET);
        }

        /** In WebFlux, a method that returns no publisher has no response to show its limits in. */
        @Test
        void aFutureShowsItsLimits() {
            assertThat(app().get("/annotated/future?user=ann").header("RateLimit"))
                    .contains(";r=1;");
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
        private final TestApp app;

        OnStack(Stack stack) {
            this.app = Shop.on(stack);
        }

        TestApp app() {
            return app;
        }

        private static final String NAME = "\"ShopController.annotated\"";

        @Test
        void aRefusedCallOfAControllerIsAnsweredLikeTheFiltersOwn() {
            Answer allowed = app.get("/annotated?user=amy");
            assertThat(allowed.status()).isEqualTo(200);
            assertThat(allowed.header("RateLimit-Policy")).isEqualTo(NAME + ";q=2;w=60");
            assertThat(allowed.header("RateLimit")).isEqualTo(NAME + ";r=1;t=60");
            assertThat(allowed.header("X-RateLimit-Remaining")).isEqualTo("1");
            app.get("/annotated?user=amy");

            Answer refused = app.get("/annotated?user=amy");

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Retry-After")).isEqualTo("60");
            assertThat(refused.header("Cache-Control")).isEqualTo("no-store");
            assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(refused.header("RateLimit")).isEqualTo(NAME + ";r=0;t=60");
            assertThat(refused.body())
                    .contains("#quota-exceeded\"", "\"status\":429", "\"violated-policies\":[" + NAME + "]");
            assertThat(app.get("/annotated?user=ben").status()).isEqualTo(200);
        }

        @ParameterizedTest
        @ValueSource(strings = {"future", "mono"})
        void whatAnswersLaterIsRefusedTheSameWay(String result) {
            String path = "/annotated/" + result + "?user=amy";
            Answer allowed = app.get(path);
            assertThat(allowed.status()).isEqualTo(200);
            assertThat(app.get(path).status()).isEqualTo(200);

            Answer refused = app.get(path);

            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.header("Retry-After")).isEqualTo("60");
            assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        }

        @Test
        void aMonoShowsItsLimits() {
            assertThat(app.get("/annotated/mono?user=ann").header("RateLimit")).contains(";r=1;");
        }

        @Test
        void filterAndAnnotationTellOfAllTheirLimitsTogether() {
            Answer answer = app.get("/api/annotated?user=cat", "X-User", "cat");

            assertThat(answer.header("RateLimit-Policy"))
                    .isEqualTo("\"burst\";q=20;w=2,\"hourly\";q=1000;w=3600," + NAME + ";q=2;w=60");
            assertThat(answer.header("X-RateLimit-Limit")).isEqualTo("2");
            assertThat(answer.headers().allValues("RateLimit")).hasSize(1);
        }

        @Test
        void aCallThatNeverFitsIsABadRequestAndNoWait() {
            Answer answer = app.get("/annotated/cost?user=dan&items=11");

            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.header("Retry-After")).isNull();
            assertThat(answer.body()).contains("\"violated-policies\":[\"ShopController.cost\"]");
            assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(app.get("/annotated/cost?user=dan&items=10").status()).isEqualTo(200);
        }

        @Test
        void aCatchAllOfTheApplicationStillCatchesItsOwn() {
            Answer answer = app.get("/fails");

            assertThat(answer.status()).isEqualTo(500);
            assertThat(answer.body()).contains("by all");
        }

        @Test
        void aHandlerThatNamesTheExceptionGoesFirst() {
            assertThat(app.get("/own-answer?user=eve").status()).isEqualTo(200);

            Answer refused = app.get("/own-answer?user=eve");

            assertThat(refused.status()).isEqualTo(420);
            assertThat(refused.body()).isEqualTo("slowly");
        }
    }
}
