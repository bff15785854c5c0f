package io.ratelimit.spring.ai;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.springframework.ai.chat.messages.AssistantMessage;
import org.springframework.ai.chat.metadata.ChatResponseMetadata;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.model.ChatModel;
import org.springframework.ai.chat.model.ChatResponse;
import org.springframework.ai.chat.model.Generation;
import org.springframework.ai.chat.prompt.ChatOptions;
import org.springframework.ai.chat.prompt.Prompt;
import reactor.core.publisher.Flux;

/** A model of the tests' own, whose tokens are words. Answers what the prompt asks for, such as {@code say:5 then:fail}. */
class TestModel implements ChatModel {

    /** Thrown by a model that was told to fail. */
    static final class Overloaded extends RuntimeException {

        private static final long serialVersionUID = 1L;

        Overloaded() {
            super("overloaded");
        }
    }

    final AtomicInteger asked = new AtomicInteger();

    /** Runs while the model is called. */
    volatile Runnable meanwhile = () -> {};

    /** A prompt whose answer has at most so many tokens, by the options of the call. */
    static Prompt prompt(String text, int maxTokens) {
        return new Prompt(text, ChatOptions.builder().maxTokens(maxTokens).build());
    }

    @Override
    public ChatResponse call(Prompt prompt) {
        asked.incrementAndGet();
        meanwhile.run();
        if (then(prompt).equals("fail")) {
            throw new Overloaded();
        }
        int words = words(prompt);
        return response("word ".repeat(words), then(prompt).equals("silent") ? 0 : tokens(prompt) + words);
    }

    /** Answers a word in each part. The last part has the usage and no word, as OpenAI's does. */
    @Override
    public Flux<ChatResponse> stream(Prompt prompt) {
        Flux<ChatResponse> words = Flux.range(0, words(prompt)).map(number -> response("word ", 0));
        Flux<ChatResponse> end = switch (then(prompt)) {
            case "fail" -> Flux.error(new Overloaded());
            case "hang" -> Flux.never();
            case "silent" -> Flux.empty();
            default -> Flux.just(response("", tokens(prompt) + words(prompt)));
        };
        return Flux.defer(() -> {
            asked.incrementAndGet();
            meanwhile.run();
            return words.concatWith(end);
        });
    }

    static int tokens(Prompt prompt) {
        return new Words().estimate(prompt.getContents());
    }

    static int words(Prompt prompt) {
        return read(prompt, "say:(\\d+)", Integer::parseInt, 0);
    }

    private static String then(Prompt prompt) {
        return read(prompt, "then:(\\w+)", Function.identity(), "");
    }

    private static <T> T read(Prompt prompt, String pattern, Function<String, T> parse, T otherwise) {
        return Pattern.compile(pattern)
                .matcher(prompt.getContents())
                .results()
                .map(found -> parse.apply(found.group(1)))
                .findFirst()
                .orElse(otherwise);
    }

    static ChatResponse response(String text, int tokens) {
        ChatResponseMetadata.Builder metadata = ChatResponseMetadata.builder();
        if (tokens > 0) {
            metadata.usage(new DefaultUsage(tokens - tokens / 3, tokens / 3));
        }
        return new ChatResponse(List.of(new Generation(new AssistantMessage(text))), metadata.build());
    }
}
