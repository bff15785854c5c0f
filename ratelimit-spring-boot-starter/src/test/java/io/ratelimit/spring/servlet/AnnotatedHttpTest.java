package io.ratelimit.spring.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.Http.Answer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Annotated controllers answer as the filter does. */
class AnnotatedHttpTest {

    private static final String NAME = "\"ShopController.annotated\"";

    @Test
    void aRefusedCallOfAControllerIsAnsweredLikeTheFiltersOwn() {
        Answer allowed = Shop.APP.get("/annotated?user=amy");
        assertThat(allowed.status()).isEqualTo(200);
        assertThat(allowed.header("RateLimit-Policy")).isEqualTo(NAME + ";q=2;w=60");
        assertThat(allowed.header("RateLimit")).isEqualTo(NAME + ";r=1;t=60");
        assertThat(allowed.header("X-RateLimit-Remaining")).isEqualTo("1");
        Shop.APP.get("/annotated?user=amy");

        Answer refused = Shop.APP.get("/annotated?user=amy");

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isEqualTo("60");
        assertThat(refused.header("Cache-Control")).isEqualTo("no-store");
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.header("RateLimit")).isEqualTo(NAME + ";r=0;t=60");
        assertThat(refused.body())
                .contains("#quota-exceeded\"", "\"status\":429", "\"violated-policies\":[" + NAME + "]");
        assertThat(Shop.APP.get("/annotated?user=ben").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {"future", "mono"})
    void whatAnswersLaterIsRefusedTheSameWay(String result) {
        String path = "/annotated/" + result + "?user=amy";
        Answer allowed = Shop.APP.get(path);
        assertThat(allowed.status()).isEqualTo(200);
        assertThat(allowed.header("RateLimit")).contains(";r=1;");
        assertThat(Shop.APP.get(path).header("RateLimit")).contains(";r=0;");

        Answer refused = Shop.APP.get(path);

        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isEqualTo("60");
        assertThat(refused.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(refused.header("RateLimit")).contains(";r=0;");
    }

    @Test
    void filterAndAnnotationTellOfAllTheirLimitsTogether() {
        Answer answer = Shop.APP.get("/api/annotated?user=cat", "X-User", "cat");

        assertThat(answer.header("RateLimit-Policy"))
                .isEqualTo("\"burst\";q=20;w=2,\"hourly\";q=1000;w=3600," + NAME + ";q=2;w=60");
        assertThat(answer.header("X-RateLimit-Limit")).isEqualTo("2");
        assertThat(answer.headers().allValues("RateLimit")).hasSize(1);
    }

    @Test
    void aCallThatNeverFitsIsABadRequestAndNoWait() {
        Answer answer = Shop.APP.get("/annotated/cost?user=dan&items=11");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.header("Retry-After")).isNull();
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        assertThat(Shop.APP.get("/annotated/cost?user=dan&items=10").status()).isEqualTo(200);
    }

    @Test
    void aCatchAllOfTheApplicationStillCatchesItsOwn() {
        Answer answer = Shop.APP.get("/fails");

        assertThat(answer.status()).isEqualTo(500);
        assertThat(answer.body()).contains("by all");
    }

    @Test
    void aHandlerThatNamesTheExceptionGoesFirst() {
        assertThat(Shop.APP.get("/own-answer?user=eve").status()).isEqualTo(200);

        Answer refused = Shop.APP.get("/own-answer?user=eve");

        assertThat(refused.status()).isEqualTo(420);
        assertThat(refused.body()).isEqualTo("slowly");
    }
}
