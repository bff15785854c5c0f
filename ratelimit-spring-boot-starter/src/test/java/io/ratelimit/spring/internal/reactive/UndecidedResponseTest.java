package io.ratelimit.spring.internal.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.ratelimit.spring.testing.Patience;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.NettyDataBuffer;
import org.springframework.core.io.buffer.NettyDataBufferFactory;
import org.springframework.mock.http.server.reactive.MockServerHttpResponse;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The answer in whose place a refusal was sent: nobody reads it to its end. */
class UndecidedResponseTest {

    private static final int MANY = 1000;

    private final NettyDataBufferFactory buffers = new NettyDataBufferFactory(UnpooledByteBufAllocator.DEFAULT);
    private final UndecidedResponse refused =
            new UndecidedResponse(new MockServerHttpResponse(buffers), Mono.just(false));

    private static Stream<BiFunction<UndecidedResponse, Flux<DataBuffer>, Mono<Void>>> ways() {
        return Stream.of(
                UndecidedResponse::writeWith, (response, body) -> response.writeAndFlushWith(body.map(Mono::just)));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void anEndlessBodyIsCancelled(BiFunction<UndecidedResponse, Flux<DataBuffer>, Mono<Void>> way) {
        Sinks.Many<DataBuffer> body = Sinks.many().multicast().directBestEffort();
        way.apply(refused, body.asFlux()).block(Patience.LONGEST);
        assertThat(body.currentSubscriberCount()).isZero();
    }

    /** As many as are asked for are made at once, before anybody could cancel. */
    @ParameterizedTest
    @MethodSource("ways")
    void anEndlessBodyThatIsThereIsCancelled(BiFunction<UndecidedResponse, Flux<DataBuffer>, Mono<Void>> way) {
        List<NettyDataBuffer> made = new ArrayList<>();
        Flux<DataBuffer> body = Flux.<DataBuffer>generate(sink -> {
                    made.add(buffers.allocateBuffer(1));
                    sink.next(made.get(made.size() - 1));
                })
                .take(MANY);
        way.apply(refused, body).block(Patience.LONGEST);
        assertThat(made).isNotEmpty().hasSizeLessThan(MANY).noneMatch(NettyDataBuffer::isAllocated);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aBodyThatIsThereIsReleased(BiFunction<UndecidedResponse, Flux<DataBuffer>, Mono<Void>> way) {
        List<NettyDataBuffer> body = List.of(buffers.allocateBuffer(1), buffers.allocateBuffer(1));
        way.apply(refused, Flux.fromIterable(body)).block(Patience.LONGEST);
        assertThat(body).noneMatch(NettyDataBuffer::isAllocated);
    }

    @ParameterizedTest
    @MethodSource("ways")
    void aBodyThatFailsFailsNothing(BiFunction<UndecidedResponse, Flux<DataBuffer>, Mono<Void>> way) {
        way.apply(refused, Flux.error(new IllegalStateException("for the test")))
                .block(Patience.LONGEST);
    }
}
