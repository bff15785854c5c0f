package io.ratelimit.spring.internal.method;

import io.ratelimit.Decision;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.rule.DelegatingRequest;
import java.security.Principal;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The request of a thread, for what a limited method calls on other threads, which know no principal: it has that of the thread.
 * Its response shows the limits of its endpoint only, which knows the request already. Thread-safe.
 */
final class CarriedRequest implements SubscribedRequest {

    private final RequestView request;
    private final RequestView view;
    private volatile Supplier<@Nullable Principal> principal;

    /** Creates it on the thread of the request. */
    CarriedRequest(RequestView request) {
        this.request = request;
        this.principal = principalOf(request);
        this.view = new DelegatingRequest(request) {
            @Override
            public @Nullable Principal principal() {
                return principal.get();
            }
        };
    }

    /** Takes over the principal that the thread has now: the method may have logged somebody in. */
    void renew(@Nullable RequestView now) {
        if (now != null && isOf(now)) {
            principal = principalOf(now);
        }
    }

    boolean isSame(CarriedRequest other) {
        return isOf(other.request);
    }

    boolean isOf(RequestView other) {
        return request.equals(other);
    }

    @Override
    public Mono<RequestView> view() {
        return isOver() ? Mono.empty() : Mono.just(view);
    }

    /** Then nothing that its thread held is of use: who made it may have left, and others may be served by what it was. */
    boolean isOver() {
        return request instanceof EndingView ending && ending.isOver();
    }

    @Override
    public Consumer<Decision> response(Class<?> bean) {
        return response();
    }

    @Override
    public Consumer<Decision> response() {
        return decision -> {};
    }

    /** One that cannot be found fails for those alone that ask for it. */
    private static Supplier<@Nullable Principal> principalOf(RequestView request) {
        try {
            Principal found = request.principal();
            return () -> found;
        } catch (RuntimeException failed) {
            return () -> {
                throw failed;
            };
        }
    }
}
