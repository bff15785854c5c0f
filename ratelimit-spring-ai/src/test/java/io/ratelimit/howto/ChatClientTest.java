package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.ai.TokenLimitAdvisor;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.ai.chat.client.ChatClient;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;

/** What docs/how-to/language-models.md shows. */
class ChatClientTest {

    private static final Limit REQUESTS =
            Limit.of("model-requests", Algorithm.SLIDING_WINDOW_LOG, 500, Duration.ofMinutes(1));
    private static final Limit TOKENS =
            Limit.of("model-tokens", Algorithm.SLIDING_WINDOW_LOG, 30_000, Duration.ofMinutes(1));
    private static final Limit BUDGET =
            Limit.of("tenant-tokens", Algorithm.FIXED_WINDOW, 1_000_000, Duration.ofDays(30));

    @Test
    void chargesWhatTheModelUsed() {
        RateLimiter limiter = InMemoryRateLimiter.create();
        ChatModel model = prompt -> new ChatResponse(
                List.of(new Generation(new AssistantMessage("Because air scatters blue light most."))),
                ChatResponseMetadata.builder().usage(new DefaultUsage(14, 9)).build());
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(RateLimiter.class, () -> limiter);
            context.registerBean("model-requests", Limit.class, () -> REQUESTS);
            context.registerBean("model-tokens", Limit.class, () -> TOKENS);
            context.registerBean("tenant-tokens", Limit.class, () -> BUDGET);
            context.registerBean(ChatClient.Builder.class, () -> ChatClient.builder(model));
            context.register(Clients.class);
            context.refresh();
            ChatClient client = context.getBean(ChatClient.class);

            String answer = client.prompt("Why is the sky blue?")
                    .advisors(advisor -> advisor.param("tenant", "acme"))
                    .call()
                    .content();

            assertThat(answer).startsWith("Because");
        }
        assertThat(left(limiter, REQUESTS, "global")).isEqualTo(499);
        assertThat(left(limiter, TOKENS, "global")).isEqualTo(30_000 - 23);
        assertThat(left(limiter, BUDGET, "acme")).isEqualTo(1_000_000 - 23);
    }

    static class Clients {

        @Bean
        ChatClient chatClient(
                ChatClient.Builder builder,
                RateLimiter limiter,
                @Qualifier("model-requests") Limit requests,
                @Qualifier("model-tokens") Limit tokens,
                @Qualifier("tenant-tokens") Limit budget) {
            TokenLimitAdvisor advisor = TokenLimitAdvisor.builder(limiter)
                    .requests(requests, "global")
                    .tokens(tokens, "global")
                    .tokens(budget, request -> (String) request.context().get("tenant"))
                    .outputTokens(2_000)
                    .build();
            return builder.defaultAdvisors(advisor).build();
        }
    }

    private static long left(RateLimiter limiter, Limit limit, String subject) {
        return limiter.peek(Acquisition.of(limit, subject)).remaining();
    }
}
