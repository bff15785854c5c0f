package io.ratelimit.spring.internal.reactive;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Ends a request before the last byte of its response is sent: a client that has the whole response may send its next
 * request at once, and finds free what the first one took. A response without a body is sent when the exchange is complete, before which
 * its filter ends the request. A server that notices that the client has left cancels the body, and may complete the response as
 * if all of it had been sent.
 */
final class EndingResponse extends ServerHttpResponseDecorator implements ZeroCopyHttpOutputMessage {

    private final Runnable end;
    private final Runnable cutOff;
    private volatile boolean complete;

    /**
     * @param end has no effect after the first time
     * @param cutOff ends the request of a client that has left before the last byte
     */
    EndingResponse(ServerHttpResponse response, Runnable end, Runnable cutOff) {
        super(response);
        this.end = end;
        this.cutOff = cutOff;
    }

    @Override
    public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
        return super.writeWith(body instanceof Mono<? extends DataBuffer> one ? ended(one) : ended(Flux.from(body)));
    }

    @Override
    public Mono<Void> writeWith(Path file, long position, long count) {
        return writeWith(FileBody.of(file, position, count, bufferFactory()));
    }

    @Override
    public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
        return super.writeAndFlushWith(
                Flux.from(body).doOnComplete(this::beforeLast).doOnCancel(this::cancelled));
    }

    /** Ends the request when its status and headers are final. */
    private void beforeLast() {
        complete = true;
        if (isCommitted()) {
            end.run();
        } else {
            beforeCommit(() -> Mono.fromRunnable(end));
        }
    }

    private void cancelled() {
        if (!complete) {
            cutOff.run();
        }
    }

    private Mono<? extends DataBuffer> ended(Mono<? extends DataBuffer> body) {
        return body.doOnSuccess(last -> beforeLast()).doOnCancel(this::cancelled);
    }

    /** A client has the whole response when it has as many bytes as were declared, or with its end. */
    private Flux<? extends DataBuffer> ended(Flux<? extends DataBuffer> body) {
        return Flux.defer(() -> {
            AtomicLong sent = new AtomicLong();
            return body.doOnNext(next -> {
                        long length = getHeaders().getContentLength();
                        if (sent.addAndGet(next.readableByteCount()) >= length && length >= 0) {
                            beforeLast();
                        }
                    })
                    .doOnComplete(this::beforeLast)
                    .doOnCancel(this::cancelled);
        });
    }
}
