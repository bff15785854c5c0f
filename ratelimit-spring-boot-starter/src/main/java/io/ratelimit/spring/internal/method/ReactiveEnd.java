package io.ratelimit.spring.internal.method;

import io.ratelimit.spring.internal.rule.CallEnds;
import io.ratelimit.spring.internal.rule.Ending;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Ends a call with its subscription: before the subscriber is notified of its end, or when it cancels. */
final class ReactiveEnd {

    private ReactiveEnd() {}

    static Mono<Object> ofOne(boolean endsLater, Function<CallEnds, Mono<Object>> call) {
        return endsLater
                ? Mono.defer(() -> {
                    CallEnds ends = new CallEnds();
                    return call.apply(ends)
                            .doOnSuccess(value -> ends.close(Ending.returned(value)))
                            .doOnError(failure -> ends.close(Ending.failed(null, failure)))
                            .doOnCancel(() -> ends.close(Ending.cancelled(null)));
                })
                : call.apply(new CallEnds());
    }

    static Flux<Object> ofMany(boolean endsLater, Function<CallEnds, Flux<Object>> call) {
        return endsLater
                ? Flux.defer(() -> {
                    CallEnds ends = new CallEnds();
                    AtomicReference<@Nullable Object> last = new AtomicReference<>();
                    return call.apply(ends)
                            .doOnNext(last::set)
                            .doOnComplete(() -> ends.close(Ending.returned(last.get())))
                            .doOnError(failure -> ends.close(Ending.failed(last.get(), failure)))
                            .doOnCancel(() -> ends.close(Ending.cancelled(last.get())));
                })
                : call.apply(new CallEnds());
    }
}
