package io.ratelimit.spring.internal.reactive;

import java.nio.file.Path;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The response to a request on which routes have not decided yet. If a component answers the request before that, such
 * as Spring Security when it rejects a request, the routes decide first. If they refuse the request, the answer of that
 * component is discarded.
 */
final class UndecidedResponse extends ServerHttpResponseDecorator implements ZeroCopyHttpOutputMessage {

    private static final int MOST_DISCARDED = 256;

    /** Decides, unless that is done, and answers the request if it is refused. */
    private final Mono<Boolean> verdict;

    private volatile boolean refused;

    UndecidedResponse(ServerHttpResponse response, Mono<Boolean> verdict) {
        super(response);
        this.verdict = verdict;
    }

    /** Decides for an answer that consists of a status and headers only. */
    Mono<Void> decide() {
        return isAdmitted().then();
    }

    /** Decides for the answer that somebody else will give to the failure. */
    Mono<Void> decide(Throwable failure) {
        return isAdmitted().flatMap(admitted -> admitted ? Mono.error(failure) : Mono.empty());
    }

    /** True if the answer given here is the one that the client gets. */
    private Mono<Boolean> isAdmitted() {
        return refused ? Mono.just(false) : verdict.doOnNext(admitted -> refused = !admitted);
    }

    @Override
    public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
        return isAdmitted().flatMap(admitted -> admitted ? super.writeWith(body) : discard(body));
    }

    @Override
    public Mono<Void> writeWith(Path file, long position, long count) {
        return getDelegate() instanceof ZeroCopyHttpOutputMessage server
                ? isAdmitted().flatMap(admitted -> admitted ? server.writeWith(file, position, count) : Mono.empty())
                : writeWith(FileBody.of(file, position, count, bufferFactory()));
    }

    @Override
    public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
        return isAdmitted()
                .flatMap(admitted -> admitted
                        ? super.writeAndFlushWith(body)
                        : discard(Flux.from(body).concatMap(Flux::from, 0)));
    }

    @Override
    public Mono<Void> setComplete() {
        return isAdmitted().flatMap(admitted -> admitted ? super.setComplete() : Mono.empty());
    }

    /** Releases what is there, and cancels the rest, which may have no end, and may come as fast as it is asked for. */
    private static Mono<Void> discard(Publisher<? extends DataBuffer> body) {
        return Mono.fromRunnable(() -> Flux.from(body)
                .take(MOST_DISCARDED)
                .doOnDiscard(DataBuffer.class, DataBufferUtils::release)
                .subscribe(DataBufferUtils::release, failure -> {})
                .dispose());
    }
}
