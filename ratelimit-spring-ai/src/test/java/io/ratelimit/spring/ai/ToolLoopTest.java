package io.ratelimit.spring.ai;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.SettableClock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.client.ChatClientRequest;
import org.springframework.ai.chat.client.ChatClientResponse;
import org.springframework.ai.chat.client.advisor.ToolCallAdvisor;
import org.springframework.ai.chat.client.advisor.api.CallAdvisor;
import org.springframework.ai.chat.client.advisor.api.CallAdvisorChain;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.model.tool.ToolCallingChatOptions;
import org.springframework.ai.tool.ToolCallback;
import org.springframework.ai.tool.function.FunctionToolCallback;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/** A question that takes two rounds, because the model calls a tool. On Spring AI 1.1, and as it is on 2.0. */
@SuppressWarnings("removal") // of 1.1, which 2.0 still has
class ToolLoopTest {

    /** Since 2.0, which has another class for the loop, its answer reports the usage of all rounds, and before of the last one. */
    private static final boolean REPORTS_ALL_ROUNDS =
            ClassUtils.isPresent("org.springframework.ai.chat.client.advisor.ToolCallingAdvisor", null);

    private final RateLimiter limiter = InMemoryRateLimiter.create(1_000, new SettableClock());
    private final Limit requests = Limit.of("requests", Algorithm.FIXED_WINDOW, 10, Duration.ofMinutes(1));
    private final Limit tokens = Limit.of("tokens", Algorithm.FIXED_WINDOW, 10_000, Duration.ofMinutes(1));

    private final ToolCallback weather = FunctionToolCallback.builder(
                    "weather", (City city) -> "mild and dry in " + city)
            .description("weather of a city")
            .inputType(City.class)
            .build();

    record City(String name) {}

    /** Asks for the weather first, and then answers; 30 tokens and 50. */
    private final TestModel model = new TestModel() {
        @Override
        public ChatResponse call(Prompt prompt) {
            return asked.incrementAndGet() == 1
                    ? answer(
                            AssistantMessage.builder()
                                    .content("")
                                    .toolCalls(List.of(new AssistantMessage.ToolCall(
                                            "1", "function", "weather", "{\"name\":\"Rome\"}")))
                                    .build(),
                            30)
                    : answer(new AssistantMessage("mild"), 50);
        }
    };

    /** Gives the prompt the tool, as the options of a model that knows tools do. */
    private final class WithTool implements CallAdvisor {

        @Override
        public ChatClientResponse adviseCall(ChatClientRequest request, CallAdvisorChain chain) {
            Prompt prompt = new Prompt(
                    request.prompt().getInstructions(),
                    ToolCallingChatOptions.builder().toolCallbacks(weather).build());
            return chain.nextCall(request.mutate().prompt(prompt).build());
        }

        @Override
        public String getName() {
            return "with tool";
        }

        @Override
        public int getOrder() {
            return Ordered.HIGHEST_PRECEDENCE;
        }
    }

    @Test
    void eachRoundIsACall() {
        ask(TokenLimitAdvisor.DEFAULT_ORDER);

        assertThat(model.asked).hasValue(2);
        assertThat(used(requests)).isEqualTo(2);
        assertThat(used(tokens)).isEqualTo(80);
    }

    @Test
    void outsideOfTheLoopAllRoundsAreOneCall() {
        ask(Ordered.HIGHEST_PRECEDENCE + 10);

        assertThat(model.asked).hasValue(2);
        assertThat(used(requests)).isEqualTo(1);
        assertThat(used(tokens)).isEqualTo(REPORTS_ALL_ROUNDS ? 80 : 50);
    }

    private void ask(int order) {
        ChatClient.builder(model)
                .defaultAdvisors(
                        new WithTool(),
                        ToolCallAdvisor.builder().build(),
                        TokenLimitAdvisor.builder(limiter)
                                .requests(requests, "global")
                                .tokens(tokens, "global")
                                .tokenCountEstimator(new Words())
                                .order(order)
                                .build())
                .build()
                .prompt("how is the weather in Rome?")
                .call()
                .content();
    }

    private static ChatResponse answer(AssistantMessage message, int tokens) {
        return new ChatResponse(
                List.of(new Generation(message)),
                ChatResponseMetadata.builder()
                        .usage(new DefaultUsage(tokens - 10, 10))
                        .build());
    }

    private long used(Limit limit) {
        return limit.capacity() - limiter.peek(Acquisition.of(limit, "global")).remaining();
    }
}
