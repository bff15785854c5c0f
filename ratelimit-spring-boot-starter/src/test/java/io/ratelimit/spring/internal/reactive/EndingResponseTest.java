package io.ratelimit.spring.internal.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** When a response is over: a part that is flushed may be as long as the whole, and one body may follow another. */
class EndingResponseTest {

    private final MockServerHttpResponse server = new MockServerHttpResponse();
    private final List<String> events = new ArrayList<>();
    private final EndingResponse response = new EndingResponse(
            server,
            () -> events.add("end"),
            () -> events.add("cut off"),
            failure -> {},
            failure -> events.add("unsent"));
    private final Sinks.Many<Flux<DataBuffer>> parts = Sinks.many().unicast().onBackpressureBuffer();
    private final Sinks.Many<DataBuffer> part = Sinks.many().unicast().onBackpressureBuffer();

    @BeforeEach
    void recordWhatIsSent() {
        server.setWriteHandler(body -> body.doOnNext(sent -> events.add(sent.toString(StandardCharsets.UTF_8)))
                .then());
    }

    @Test
    void onePartIsOverWhenItsLastByteIs() {
        response.writeAndFlushWith(Mono.just(part.asFlux())).subscribe();
        part.tryEmitNext(bytes("a"));
        part.tryEmitNext(bytes("b"));
        assertThat(events).containsExactly("a", "b");

        part.tryEmitComplete();

        assertThat(events).containsExactly("a", "b", "end");
    }

    @Test
    void anotherPartMayFollowOneThatIsOver() {
        response.writeAndFlushWith(parts.asFlux()).subscribe();
        parts.tryEmitNext(part.asFlux());
        part.tryEmitNext(bytes("a"));
        part.tryEmitComplete();
        assertThat(events).containsExactly("a");

        parts.tryEmitComplete();

        assertThat(events).containsExactly("a", "end");
    }

    /** Spring's writers make such a part of each element. */
    @Test
    void aLastPartOfOneElementIsSentWhenTheSlotIsFree() {
        Sinks.One<DataBuffer> element = Sinks.one();
        response.writeAndFlushWith(Mono.just(element.asMono())).subscribe();
        assertThat(events).isEmpty();

        element.tryEmitValue(bytes("a"));

        assertThat(events).containsExactly("end", "a");
    }

    @Test
    void aClientThatLeavesWithinTheLastPartCutsItOff() {
        Disposable sending =
                response.writeAndFlushWith(Mono.just(part.asFlux())).subscribe();
        part.tryEmitNext(bytes("a"));

        sending.dispose();

        assertThat(events).startsWith("a", "cut off").doesNotContain("end");
    }

    @Test
    void oneBufferThatCannotBeSentIsCutOffAlthoughItWasComplete() {
        server.setWriteHandler(body -> Mono.error(new IOException("for the test")));

        write(Mono.just(bytes("a")));

        assertThat(events).containsExactly("end", "cut off");
    }

    @Test
    void anAnswerInPlaceOfABodyThatFailedIsCutOffIfItCannotBeSent() {
        server.setWriteHandler(body -> body.then(Mono.error(new IOException("for the test"))));
        write(Flux.error(new IllegalStateException("for the test")));
        assertThat(events).isEmpty();

        write(part.asFlux());
        part.tryEmitNext(bytes("a"));
        part.tryEmitComplete();

        assertThat(events).endsWith("cut off");
    }

    @Test
    void anAnswerInPlaceOfABodyThatFailedIsUnsentIfWhatGoesBeforeFails() {
        server.beforeCommit(() -> Mono.error(new IllegalStateException("for the test")));
        write(Flux.error(new IllegalStateException("for the test")));
        assertThat(events).isEmpty();

        write(Mono.just(bytes("a")));

        assertThat(events).containsExactly("unsent");
    }

    @Test
    void aClientThatLeavesWithinABodyThatFollowsAnEmptyOneCutsItOff() {
        write(Mono.empty());
        Disposable sending = write(part.asFlux());
        part.tryEmitNext(bytes("a"));

        sending.dispose();

        assertThat(events).endsWith("a", "cut off");
    }

    private Disposable write(Publisher<DataBuffer> body) {
        return response.writeWith(body).onErrorComplete().subscribe();
    }

    private DataBuffer bytes(String text) {
        return server.bufferFactory().wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
