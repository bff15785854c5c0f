package io.ratelimit.spring.ai;

import java.util.Arrays;
import org.springframework.ai.content.MediaContent;
import org.springframework.ai.tokenizer.TokenCountEstimator;

/** Counts words, as {@link TestModel} does, so that the estimate of a prompt is what the model uses for it. */
class Words implements TokenCountEstimator {

    @Override
    public int estimate(String text) {
        return (int) Arrays.stream(text.split("\\s+"))
                .filter(word -> !word.isEmpty())
                .count();
    }

    @Override
    public int estimate(MediaContent content) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int estimate(Iterable<MediaContent> content) {
        throw new UnsupportedOperationException();
    }
}
