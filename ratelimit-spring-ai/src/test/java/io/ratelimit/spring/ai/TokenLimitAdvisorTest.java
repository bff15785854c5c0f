package io.ratelimit.spring.ai;

import static io.ratelimit.spring.ai.TestModel.prompt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.CostExceedsCapacityException;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.testing.ForwardingRateLimiter;
import io.ratelimit.testing.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.Prompt;

/** Limits what {@code call()} asks of a model. */
class TokenLimitAdvisorTest {

    private final SettableClock clock = new SettableClock();
    private final RateLimiter limiter = InMemoryRateLimiter.create(1_000, clock);
    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final TestModel model = new TestModel();

    private final Limit requests = Limit.of("requests", Algorithm.FIXED_WINDOW, 10, Duration.ofMinutes(1));
    private final Limit tokens = Limit.of("tokens", Algorithm.SLIDING_WINDOW_LOG, 100, Duration.ofMinutes(1));
    private final Limit budget = Limit.of("budget", Algorithm.FIXED_WINDOW, 1_000, Duration.ofDays(1));

    @Test
    void chargesTheEstimateBeforeTheModelIsCalledAndSettlesByItsUsage() {
        model.meanwhile = () -> assertThat(left(tokens, "global")).isEqualTo(100 - 4 - 50);

        client(advisor -> advisor.tokens(tokens, "global"))
                .prompt(prompt("three words and say:20", 50))
                .call()
                .content();

        assertThat(model.asked).hasValue(1);
        assertThat(left(tokens, "global")).isEqualTo(100 - 4 - 20);
    }

    @Test
    void refusesBeforeTheModelIsCalledAndSaysHowLongToWait() {
        ChatClient client = client(advisor -> advisor.tokens(tokens, "global"));
        client.prompt(prompt("say:59", 59)).call().content();
        clock.advance(Duration.ofSeconds(20));

        RateLimitExceededException refused = catchThrowableOfType(
                RateLimitExceededException.class,
                () -> client.prompt(prompt("say:10", 50)).call().content());

        assertThat(refused.decision().retryAfter()).isEqualTo(Duration.ofSeconds(40));
        assertThat(model.asked).hasValue(1);
        clock.advance(Duration.ofSeconds(40));
        client.prompt(prompt("say:10", 50)).call().content();
        assertThat(left(tokens, "global")).isEqualTo(100 - 11);
    }

    @Test
    void severalLimitsAndSubjectsAreOneDecision() {
        ChatClient client = client(advisor -> advisor.requests(requests, "global")
                .tokens(tokens, request -> (String) request.context().get("tenant"))
                .tokens(budget, "global"));

        client.prompt(prompt("say:89", 89))
                .advisors(advisor -> advisor.param("tenant", "acme"))
                .call()
                .content();
        assertThatThrownBy(() -> client.prompt(prompt("say:89", 89))
                        .advisors(advisor -> advisor.param("tenant", "acme"))
                        .call()
                        .content())
                .isInstanceOf(RateLimitExceededException.class);

        assertThat(left(requests, "global")).isEqualTo(9);
        assertThat(left(tokens, "acme")).isEqualTo(10);
        assertThat(left(tokens, "other")).isEqualTo(100);
        assertThat(left(budget, "global")).isEqualTo(910);
    }

    @Test
    void aFailedCallCostsNoTokensButIsARequest() {
        assertThatThrownBy(() -> client(
                                advisor -> advisor.requests(requests, "global").tokens(tokens, "global"))
                        .prompt(prompt("say:5 then:fail", 50))
                        .call()
                        .content())
                .isInstanceOf(TestModel.Overloaded.class);

        assertThat(left(tokens, "global")).isEqualTo(100);
        assertThat(left(requests, "global")).isEqualTo(9);
        assertThat(unresolved("actual-cost")).isZero();
    }

    @Test
    void anAnswerWithoutUsageCostsTheEstimateAndIsCounted() {
        client(advisor -> advisor.requests(requests, "global").tokens(tokens, "global"))
                .prompt(prompt("say:5 then:silent", 50))
                .call()
                .content();

        assertThat(left(tokens, "global")).isEqualTo(100 - 2 - 50);
        assertThat(unresolved("actual-cost")).isEqualTo(1);
    }

    @Test
    void anAnswerWithoutMetadataCostsTheEstimateAndIsCounted() {
        Limit atOnce = Limit.of("at-once", Algorithm.CONCURRENCY, 2, Duration.ofMinutes(5));
        TestModel bare = new TestModel() {
            @Override
            public ChatResponse call(Prompt prompt) {
                return new ChatResponse(super.call(prompt).getResults(), null);
            }
        };

        String answer = client(
                        bare,
                        limiter,
                        advisor -> advisor.requests(atOnce, "global").tokens(tokens, "global"))
                .prompt(prompt("say:1", 50))
                .call()
                .content();

        assertThat(answer).isEqualTo("word ");
        assertThat(left(tokens, "global")).isEqualTo(100 - 1 - 50);
        assertThat(left(atOnce, "global")).isEqualTo(2);
        assertThat(unresolved("actual-cost")).isEqualTo(1);
    }

    /** As of a model of the application's own, whose classes need not keep what Spring AI's do. */
    @Test
    void aCallWhoseAnswerCannotBeReadIsSettled() {
        Limit atOnce = Limit.of("at-once", Algorithm.CONCURRENCY, 2, Duration.ofMinutes(5));
        TestModel odd = new TestModel() {
            @Override
            public ChatResponse call(Prompt prompt) {
                return new ChatResponse(super.call(prompt).getResults()) {
                    @Override
                    public List<Generation> getResults() {
                        throw new IllegalStateException("not parsed");
                    }
                };
            }
        };

        assertThatThrownBy(() -> client(odd, limiter, advisor -> advisor.requests(atOnce, "global"))
                        .prompt("say:1")
                        .call()
                        .content())
                .hasMessage("not parsed");

        assertThat(left(atOnce, "global")).isEqualTo(2);
    }

    @Test
    void anAnswerWithoutAllowedLengthIsExpectedToHaveTheDefault() {
        model.meanwhile = () -> assertThat(left(budget, "global")).isEqualTo(1_000 - 1 - 30);

        client(advisor -> advisor.tokens(budget, "global").outputTokens(30))
                .prompt("say:40")
                .call()
                .content();

        assertThat(left(budget, "global")).isEqualTo(1_000 - 1 - 40);
    }

    @Test
    void whatCanNeverFitIsAnErrorAndNoWait() {
        assertThatThrownBy(() -> client(advisor -> advisor.tokens(tokens, "global"))
                        .prompt(prompt("say:1", 100))
                        .call()
                        .content())
                .isInstanceOf(CostExceedsCapacityException.class)
                .hasMessageContaining("101")
                .hasMessageContaining("tokens");
        assertThat(model.asked).hasValue(0);
    }

    @Test
    void aLimitThatIsChargedTwiceToOneSubjectIsSettledByBoth() {
        client(advisor -> advisor.requests(budget, "global").tokens(budget, "global"))
                .prompt(prompt("say:5", 50))
                .call()
                .content();

        assertThat(left(budget, "global")).isEqualTo(1_000 - 1 - 6);
    }

    @Test
    void aSlotIsTakenForAsLongAsTheCall() {
        Limit atOnce = Limit.of("at-once", Algorithm.CONCURRENCY, 2, Duration.ofMinutes(5));
        model.meanwhile = () -> assertThat(left(atOnce, "global")).isEqualTo(1);

        client(advisor -> advisor.requests(atOnce, "global"))
                .prompt("say:1")
                .call()
                .content();

        assertThat(left(atOnce, "global")).isEqualTo(2);
    }

    @Test
    void waitsForAsLongAsItMay() {
        Limit paced = Limit.of("paced", Algorithm.SLIDING_WINDOW_LOG, 1, Duration.ofMillis(200));
        try (RateLimiterStack stack = RateLimiterStack.inMemory().build()) {
            ChatClient client =
                    client(stack, advisor -> advisor.requests(paced, "global").maxWait(Duration.ofHours(1)));

            client.prompt("say:1").call().content();
            client.prompt("say:1").call().content();
        }
        assertThat(model.asked).hasValue(2);
    }

    @Test
    void aSettlementThatTheStoreDoesNotTakeIsCountedAndNotTheCallersConcern() {
        ForwardingRateLimiter unsettled = new ForwardingRateLimiter(limiter) {
            @Override
            public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
                return limiter.acquireAsync(acquisition);
            }

            @Override
            public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
                return CompletableFuture.failedFuture(new IllegalStateException("away"));
            }
        };

        client(unsettled, advisor -> advisor.tokens(tokens, "global"))
                .prompt(prompt("say:5", 50))
                .call()
                .content();

        assertThat(unresolved("store")).isEqualTo(1);
    }

    @Test
    void namesOfSpecialTokensInAPromptAreText() {
        ChatClient client = ChatClient.builder(model)
                .defaultAdvisors(TokenLimitAdvisor.builder(limiter)
                        .tokens(budget, "global")
                        .outputTokens(10)
                        .build())
                .build();

        client.prompt("hello <|endoftext|> world then:silent").call().content();

        assertThat(left(budget, "global")).isBetween(1_000L - 10 - 20, 1_000L - 10 - 10);
    }

    @Test
    void aCallWithoutASubjectSaysWhatToPass() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> client(advisor -> advisor.tokens(
                                tokens, request -> (String) request.context().get("tenant")))
                        .prompt("say:1")
                        .call()
                        .content())
                .withMessageContaining("tokens")
                .withMessageContaining("advisor.param");
    }

    @Test
    void mistakesEndTheBuilding() {
        Limit devices = Limit.of("devices", Algorithm.UNIQUE_COUNT, 5, Duration.ofDays(1));
        Limit atOnce = Limit.of("at-once", Algorithm.CONCURRENCY, 2, Duration.ofMinutes(5));
        TokenLimitAdvisorBuilder builder = TokenLimitAdvisor.builder(limiter).tokenCountEstimator(new Words());

        assertThatIllegalArgumentException().isThrownBy(builder::build).withMessageContaining("requests() or tokens()");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.requests(devices, "global"))
                .withMessageContaining("devices");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.tokens(atOnce, "global"))
                .withMessageContaining("at-once");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.outputTokens(-1))
                .withMessageContaining("-1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.tokens(tokens, "global")
                        .maxWait(Duration.ofDays(2))
                        .build())
                .withMessageContaining("'2d'");
    }

    private ChatClient client(UnaryOperator<TokenLimitAdvisorBuilder> settings) {
        return client(limiter, settings);
    }

    private ChatClient client(RateLimiter any, UnaryOperator<TokenLimitAdvisorBuilder> settings) {
        return client(model, any, settings);
    }

    private ChatClient client(TestModel asked, RateLimiter any, UnaryOperator<TokenLimitAdvisorBuilder> settings) {
        return ChatClient.builder(asked)
                .defaultAdvisors(settings.apply(TokenLimitAdvisor.builder(any)
                                .tokenCountEstimator(new Words())
                                .meterRegistry(meters))
                        .build())
                .build();
    }

    private long left(Limit limit, String subject) {
        return limiter.peek(Acquisition.of(limit, subject)).remaining();
    }

    private double unresolved(String reason) {
        return meters.find("rate.limiter.unresolved").tag("reason", reason).counters().stream()
                .mapToDouble(counter -> counter.count())
                .sum();
    }
}
