package io.ratelimit.compatibility.listeners;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/** The messages that a listener handled, each with its time. The limits of the tests allow one in {@link #WINDOW}. Thread-safe. */
final class Handled {

    static final Duration WINDOW = Duration.ofMillis(1_500);

    private record Message(String text, long atNanos) {}

    private final List<Message> messages = new CopyOnWriteArrayList<>();

    void add(String text) {
        messages.add(new Message(text, System.nanoTime()));
    }

    boolean has(String text) {
        return messages.stream().anyMatch(message -> message.text.equals(text));
    }

    /** A message is admitted before it is handled, so a tenth of the window is left for that. */
    void assertPaced(String... texts) {
        assertThat(messages).extracting(Message::text).containsExactly(texts);
        assertThat(IntStream.range(1, messages.size())
                        .mapToLong(i -> messages.get(i).atNanos - messages.get(i - 1).atNanos))
                .allMatch(nanos -> nanos > WINDOW.toNanos() * 9 / 10);
    }
}
