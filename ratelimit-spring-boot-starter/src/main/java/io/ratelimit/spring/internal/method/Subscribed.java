package io.ratelimit.spring.internal.method;

import io.ratelimit.Decision;
import io.ratelimit.spring.CurrentRequest;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** A call of one subscription, and what its method runs in. */
record Subscribed(LimitedCall call, CallerContext context) {

    /** The method runs as it does without a limit, in the context of its caller; its result has of that what the method has set itself. */
    Publisher<Object> goOn(@Nullable ReactiveAdapter adapter, Decision decision, CurrentRequest current) {
        return subscriber -> {
            CallerContext.Opened opened = context.open();
            try {
                Publisher<Object> result = result(adapter, decision, current, subscriber);
                opened.undoUnchanged();
                result.subscribe(subscriber);
            } finally {
                opened.undo();
            }
        };
    }

    @SuppressWarnings("unchecked")
    private Publisher<Object> result(
            @Nullable ReactiveAdapter adapter,
            Decision decision,
            CurrentRequest current,
            Subscriber<? super Object> subscriber) {
        try {
            Publisher<?> result = publisher(adapter, call.goOn(decision));
            Context known = Operators.toCoreSubscriber(subscriber).currentContext();
            if (known.getOrDefault(SubscribedRequest.class, null) instanceof CarriedRequest carried) {
                carried.renew(current.view());
            }
            return (Publisher<Object>) result;
        } catch (Throwable failed) {
            return Mono.error(failed);
        }
    }

    private static Publisher<?> publisher(@Nullable ReactiveAdapter adapter, @Nullable Object returned) {
        if (adapter != null && returned != null) {
            return adapter.toPublisher(returned);
        }
        return returned instanceof Publisher<?> publisher ? publisher : Mono.empty();
    }
}
