package io.ratelimit.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import graphql.ExecutionResult;
import graphql.GraphQLError;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.LimitStatus;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.OutboundLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.AtSettableTime;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.springframework.graphql.ExecutionGraphQlRequest;
import org.springframework.graphql.ExecutionGraphQlResponse;
import org.springframework.graphql.ExecutionGraphQlService;
import org.springframework.graphql.data.method.annotation.Argument;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.graphql.data.method.annotation.SchemaMapping;
import org.springframework.graphql.data.method.annotation.SubscriptionMapping;
import org.springframework.graphql.execution.SubscriptionPublisherException;
import org.springframework.graphql.support.DefaultExecutionGraphQlRequest;
import org.springframework.stereotype.Controller;
import reactor.core.publisher.Flux;

/** In GraphQL a refusal is an error of the result. */
class GraphQlHttpTest {

    record Item() {}

    @Controller
    static class Orders {

        @RateLimited(maxRequests = "1", windowSize = "1h", key = "#user")
        @QueryMapping
        public String order(@Argument String user) {
            return "order of " + user;
        }

        @QueryMapping
        public CompletableFuture<Item> item() {
            return CompletableFuture.supplyAsync(Item::new);
        }

        @RateLimited(maxRequests = "1", windowSize = "1h", key = "header:X-User")
        @SchemaMapping(typeName = "Item")
        public String title(Item item) {
            return "title";
        }

        @RateLimited(maxRequests = "1", windowSize = "1h", key = "#user")
        @SubscriptionMapping
        public Flux<String> orders(@Argument String user) {
            return Flux.just("order of " + user);
        }
    }

    /** Nothing is wrong with the store, and the caller has not exceeded a limit of its own. */
    @Test
    void aRefusalByTheLimitOfAPartnerHasAnotherClassification() {
        Decision refused = Decision.of(
                List.of(new LimitStatus(
                        Limit.of("crm", Algorithm.FIXED_WINDOW, 1, Duration.ofHours(1)),
                        0,
                        Duration.ofHours(1),
                        Duration.ofHours(1))),
                Instant.EPOCH);

        List<GraphQLError> errors = new RefusalErrorResolver()
                .resolveException(new OutboundLimitExceededException("crm", refused))
                .block();

        assertThat(errors).singleElement().satisfies(error -> {
            assertThat(error.getErrorType()).hasToString("OUTBOUND_LIMITED");
            assertThat(error.getExtensions()).containsEntry("retryAfter", 3600);
        });
    }

    /** As one of cost 100 does, where a limit of 100 refills 1 a year. */
    @Test
    void aWaitOfMoreSecondsThanGraphQlsIntHoldsIsTheLongestThatFits() {
        Decision refused = Decision.of(
                List.of(new LimitStatus(
                        Limit.of("reports", Algorithm.TOKEN_BUCKET, 100, Duration.ofDays(366)),
                        0,
                        Duration.ofDays(36_600),
                        Duration.ofDays(36_600))),
                Instant.EPOCH);

        List<GraphQLError> errors = new RefusalErrorResolver()
                .resolveException(new RateLimitExceededException(refused))
                .block();

        assertThat(errors).singleElement().satisfies(error -> {
            assertThat(error.getErrorType()).hasToString("RATE_LIMITED");
            assertThat(error.getExtensions()).containsEntry("retryAfter", Integer.MAX_VALUE);
        });
    }

    @Test
    void aRefusalHasAClassificationOfItsOwnAndLeavesNoTrace() {
        try (TestApp app = start();
                LogCapture log = LogCapture.start()) {
            assertThat(ask(app).body()).contains("\"order\":\"order of alice\"");

            Answer refused = ask(app);

            assertThat(refused.status()).isEqualTo(200);
            assertThat(refused.body())
                    .contains("\"classification\":\"RATE_LIMITED\"", "\"retryAfter\":3600", "\"order\":null")
                    .contains("quota has been exceeded");
            assertThat(log.messages(Level.ERROR)).isEmpty();
            assertThat(log.messages(Level.WARN)).isEmpty();
        }
    }

    @Test
    void aFieldBelowAnAsynchronousOneKnowsTheRequest() {
        try (TestApp app = start()) {
            assertThat(title(app, "alice")).doesNotContain("RATE_LIMITED");
            assertThat(title(app, "bob")).doesNotContain("RATE_LIMITED");
            assertThat(title(app, "alice")).contains("RATE_LIMITED");
        }
    }

    /** Over a WebSocket or as events, its errors are those of the stream. */
    @Test
    void aRefusedSubscriptionEndsWithTheSameError() {
        try (TestApp app = start()) {
            assertThat(subscribe(app).blockLast()).hasToString("{orders=order of alice}");

            assertThatExceptionOfType(SubscriptionPublisherException.class)
                    .isThrownBy(() -> subscribe(app).blockLast())
                    .satisfies(failure -> assertThat(failure.getErrors())
                            .singleElement()
                            .satisfies(error -> assertThat(error.toSpecification())
                                    .containsEntry(
                                            "extensions",
                                            Map.of("classification", "RATE_LIMITED", "retryAfter", 3600))));
        }
    }

    private static TestApp start() {
        return TestApp.start(
                List.of(Orders.class, AtSettableTime.class), "spring.graphql.schema.locations=classpath:schemas/");
    }

    private static Answer ask(TestApp app) {
        return Http.post(
                "http://localhost:" + app.port() + "/graphql",
                "{\"query\":\"{ order(user: \\\"alice\\\") }\"}",
                "Content-Type",
                "application/json");
    }

    private static String title(TestApp app, String user) {
        return Http.post(
                        "http://localhost:" + app.port() + "/graphql",
                        "{\"query\":\"{ item { title } }\"}",
                        "Content-Type",
                        "application/json",
                        "X-User",
                        user)
                .body();
    }

    private static Flux<Object> subscribe(TestApp app) {
        ExecutionGraphQlRequest request = new DefaultExecutionGraphQlRequest(
                "subscription { orders(user: \"alice\") }", null, null, null, "1", null);
        ExecutionGraphQlResponse response = app.bean(ExecutionGraphQlService.class)
                .execute(request)
                .blockOptional()
                .orElseThrow();
        Publisher<ExecutionResult> results = response.getExecutionResult().getData();
        return Flux.from(results).map(ExecutionResult::getData);
    }
}
