package io.ratelimit.spring.internal.method;

import io.ratelimit.spring.internal.rule.CancelledLast;
import io.ratelimit.spring.internal.rule.Ending;
import io.ratelimit.spring.internal.rule.OpenCall;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Ends a call with its subscription: before the subscriber is notified of its end, or when it has cancelled and the method's result knows
 * it, which may clean up meanwhile.
 */
final class ReactiveEnd {

    private ReactiveEnd() {}

    static Mono<Object> ofOne(LimitedCall subscribed, Function<OpenCall, Mono<Object>> call) {
        OpenCall open = new OpenCall();
        Mono<Object> result = call.apply(open);
        return subscribed.method().endsLater() ? ofOne(open, result) : result;
    }

    static Mono<Object> ofOne(OpenCall open, Mono<?> result) {
        return Mono.<Object>from(result)
                .transform(CancelledLast.then(() -> open.close(Ending.cancelled(null))))
                .doOnSuccess(value -> open.close(Ending.returned(value)))
                .doOnError(failure -> open.close(Ending.failed(null, failure)));
    }

    static Flux<Object> ofMany(LimitedCall subscribed, Function<OpenCall, Flux<Object>> call) {
        OpenCall open = new OpenCall();
        Flux<Object> result = call.apply(open);
        return subscribed.method().endsLater() ? ofMany(open, result) : result;
    }

    static Flux<Object> ofMany(OpenCall open, Flux<?> result) {
        AtomicReference<@Nullable Object> last = new AtomicReference<>();
        return Flux.<Object>from(result)
                .transform(CancelledLast.then(
                        () -> open.close(Ending.cancelled(last.get()).ofElements())))
                .doOnNext(last::set)
                .doOnComplete(() -> open.close(Ending.returned(last.get()).ofElements()))
                .doOnError(
                        failure -> open.close(Ending.failed(last.get(), failure).ofElements()));
    }
}
