package io.ratelimit.spring.internal.rule;

import java.util.function.Function;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Runs what ends a call when its subscription is cancelled: after what is upstream knows it, which may clean up meanwhile, and also if
 * that fails. Signals that it emits then are no end of their own, and are dropped.
 */
public final class CancelledLast<T> implements CoreSubscriber<T>, Subscription {

    private final CoreSubscriber<? super T> actual;
    private final Runnable end;
    private volatile boolean isCancelled;
    private Subscription upstream = Operators.emptySubscription();

    private CancelledLast(CoreSubscriber<? super T> actual, Runnable end) {
        this.actual = actual;
        this.end = end;
    }

    /** An operator for a {@code transform}, upstream of those that see how a subscription ends by itself. It does not fuse. */
    public static <T> Function<Publisher<T>, Publisher<T>> then(Runnable end) {
        return source -> Operators.<T, T>liftPublisher((publisher, actual) -> new CancelledLast<>(actual, end))
                .apply(
                        source instanceof Mono<T> one
                                ? one.hide()
                                : Flux.from(source).hide());
    }

    @Override
    public Context currentContext() {
        return actual.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
        upstream = subscription;
        actual.onSubscribe(this);
    }

    @Override
    public void onNext(T value) {
        actual.onNext(value);
    }

    @Override
    public void onError(Throwable failure) {
        if (isCancelled) {
            Operators.onErrorDropped(failure, currentContext());
        } else {
            actual.onError(failure);
        }
    }

    @Override
    public void onComplete() {
        if (!isCancelled) {
            actual.onComplete();
        }
    }

    @Override
    public void request(long more) {
        upstream.request(more);
    }

    @Override
    public void cancel() {
        isCancelled = true;
        try {
            upstream.cancel();
        } finally {
            end.run();
        }
    }
}
