package io.ratelimit.spring.ai;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.messages.Message;
import org.springframework.ai.chat.messages.ToolResponseMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.Usage;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import org.springframework.ai.tokenizer.TokenCountEstimator;

/**
 * Counts the tokens of prompts and answers. Thread-safe if the estimator is.
 *
 * @param outputTokens how many an answer is expected to have at most, if the prompt does not say
 */
record TokenCounter(TokenCountEstimator estimator, int outputTokens) {

    /** Counts the text of all messages, with what tools were called with and answered. */
    long of(Prompt prompt) {
        return of(prompt.getInstructions().stream().flatMap(TokenCounter::texts).collect(Collectors.joining("\n")));
    }

    /** Counts a text. */
    long of(String text) {
        // the estimator throws at the names of special tokens, such as <|endoftext|>, which any user may write
        return Math.max(0, estimator.estimate(text.replace("<|", "< |")));
    }

    /** Returns how many tokens the answer to a prompt may have. */
    long allowedOutput(Prompt prompt) {
        @Nullable ChatOptions options = prompt.getOptions();
        @Nullable Integer maxTokens = options == null ? null : options.getMaxTokens();
        return maxTokens == null || maxTokens <= 0 ? outputTokens : maxTokens;
    }

    /** Returns the tokens that the model says it used; 0 if it says nothing. */
    static long reported(ChatResponse response) {
        @Nullable ChatResponseMetadata metadata = response.getMetadata(); // which a model may leave out
        @Nullable Usage usage = metadata == null ? null : metadata.getUsage();
        @Nullable Integer total = usage == null ? null : usage.getTotalTokens();
        return total == null ? 0 : Math.max(0, total);
    }

    private static Stream<String> texts(Message message) {
        Stream<String> text = Stream.ofNullable(message.getText());
        if (message instanceof AssistantMessage assistant) {
            return Stream.concat(
                    text, assistant.getToolCalls().stream().flatMap(call -> Stream.of(call.name(), call.arguments())));
        }
        if (message instanceof ToolResponseMessage tools) {
            return Stream.concat(
                    text, tools.getResponses().stream().map(ToolResponseMessage.ToolResponse::responseData));
        }
        return text;
    }
}
