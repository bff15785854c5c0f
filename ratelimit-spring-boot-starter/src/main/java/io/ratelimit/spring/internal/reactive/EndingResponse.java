package io.ratelimit.spring.internal.reactive;

import io.ratelimit.spring.internal.rule.CancelledLast;
import io.ratelimit.spring.internal.rule.OpenCall;
import io.ratelimit.spring.internal.rule.PendingRoutes;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.reactivestreams.Publisher;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.http.ZeroCopyHttpOutputMessage;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.web.server.ServerWebExchange;
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
    private final Consumer<Throwable> failed;
    private final Consumer<Throwable> unsent;
    private volatile boolean complete;
    private volatile boolean broken;

    /** Closes a call, and those that were left open, with the response of the exchange. */
    static EndingResponse of(ServerWebExchange exchange, PendingRoutes pending, OpenCall call) {
        return new EndingResponse(
                exchange.getResponse(),
                () -> pending.closeWithResponse(call, ExchangeEnding.of(exchange)),
                () -> pending.close(call, ExchangeEnding.cutOff(exchange)),
                failure -> ExchangeEnding.broken(failure, exchange),
                failure -> pending.close(call, ExchangeEnding.unsent(failure, exchange)));
    }

    /**
     * @param end has no effect after the first time
     * @param cutOff ends the request of a client that has left before the last byte
     * @param failed gets the failure of the body
     * @param unsent gets what failed just before the response was sent, such as to save a session. The server sends another one then,
     *     before which it does not ask again
     */
    EndingResponse(
            ServerHttpResponse response,
            Runnable end,
            Runnable cutOff,
            Consumer<Throwable> failed,
            Consumer<Throwable> unsent) {
        super(response);
        this.end = end;
        this.cutOff = cutOff;
        this.failed = failed;
        this.unsent = unsent;
    }

    @Override
    public Mono<Void> writeWith(Publisher<? extends DataBuffer> body) {
        return sent(super.writeWith(
                body instanceof Mono<? extends DataBuffer> one
                        ? ended(one, this::beforeLast)
                        : ended(Flux.from(body))));
    }

    @Override
    public Mono<Void> writeWith(Path file, long position, long count) {
        return writeWith(FileBody.of(file, position, count, bufferFactory()));
    }

    /** It is complete when the last of its parts is, and no other follows. */
    @Override
    public Mono<Void> writeAndFlushWith(Publisher<? extends Publisher<? extends DataBuffer>> body) {
        return sent(super.writeAndFlushWith(Flux.defer(() -> {
            AtomicInteger open = new AtomicInteger(1);
            Runnable done = () -> {
                if (open.decrementAndGet() == 0) {
                    beforeLast();
                }
            };
            return Flux.from(body)
                    .map(part -> {
                        open.incrementAndGet();
                        return ended(part, done);
                    })
                    .transform(CancelledLast.then(this::cancelled))
                    .doOnError(this::broken)
                    .doOnComplete(done);
        })));
    }

    private Publisher<? extends DataBuffer> ended(Publisher<? extends DataBuffer> part, Runnable done) {
        return part instanceof Mono<? extends DataBuffer> one
                ? ended(one, done)
                : Flux.<DataBuffer>from(part)
                        .transform(CancelledLast.then(this::cancelled))
                        .doOnError(this::broken)
                        .doOnComplete(done);
    }

    /**
     * Takes what the body does not fail with, once it is sent, for the connection's failure: its client has left, also if the body
     * was complete by then. A body that failed before it was sent may be followed by another one, the application's answer.
     */
    private Mono<Void> sent(Mono<Void> sending) {
        return sending.doOnError(failure -> {
                    if (broken) {
                        return;
                    }
                    if (isCommitted()) {
                        cutOff.run();
                    } else {
                        unsent.accept(failure);
                    }
                })
                .doFirst(this::begin);
    }

    private void begin() {
        complete = false;
        broken = false;
    }

    private void broken(Throwable failure) {
        broken = true;
        failed.accept(failure);
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

    /** A {@code Mono} tells that it is complete before its one buffer is sent. */
    private Mono<? extends DataBuffer> ended(Mono<? extends DataBuffer> body, Runnable done) {
        return Mono.<DataBuffer>from(body)
                .transform(CancelledLast.then(this::cancelled))
                .doOnSuccess(last -> done.run())
                .doOnError(this::broken);
    }

    /** A client has the whole response when it has as many bytes as were declared, or with its end. */
    private Flux<? extends DataBuffer> ended(Flux<? extends DataBuffer> body) {
        return Flux.defer(() -> {
            AtomicLong sent = new AtomicLong();
            return Flux.<DataBuffer>from(body)
                    .transform(CancelledLast.then(this::cancelled))
                    .doOnNext(next -> {
                        long length = getHeaders().getContentLength();
                        if (sent.addAndGet(next.readableByteCount()) >= length && length >= 0) {
                            beforeLast();
                        }
                    })
                    .doOnError(this::broken)
                    .doOnComplete(this::beforeLast);
        });
    }
}
