package io.ratelimit.spring.internal.method;

import io.ratelimit.Decision;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.rule.OpenCall;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * Methods that return a {@code Mono}, {@code Flux} or another type that Spring adapts to them, such as Kotlin's
 * {@code Flow}, and {@code suspend} functions, which Spring's proxies turn into one: every subscription is a call. In a
 * class of its own, because Reactor is optional.
 */
final class ReactiveReturn {

    private static final boolean COROUTINES =
            ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", ReactiveReturn.class.getClassLoader());

    private static final Set<String> WITH_CONTEXT =
            Set.of(Mono.class.getName(), Flux.class.getName(), Publisher.class.getName(), KotlinFlow.NAME);

    private static final ReactiveAdapterRegistry ADAPTERS = ReactiveAdapterRegistry.getSharedInstance();

    private ReactiveReturn() {}

    static boolean isOf(Method method, LimitedMethod limited) {
        return adapter(limited.returned()) != null || suspends(method);
    }

    private static boolean suspends(Method method) {
        return COROUTINES && KotlinDetector.isSuspendingFunction(method);
    }

    /** True if the Reactor context of a subscriber reaches the decision: the types of other libraries pass none on. */
    static boolean knowsRequest(Method method, LimitedMethod limited) {
        return adapter(limited.returned()) == null
                ? isOf(method, limited)
                : WITH_CONTEXT.contains(limited.returned().getName());
    }

    /**
     * Returns a publisher that decides when it is subscribed to, and only then runs the method.
     *
     * <p>A subscription belongs to the request of its Reactor context, or of its thread, or else to that of the thread that
     * called the method: the publisher may be kept and be subscribed to for others. So do the calls that the method makes.
     *
     * @param calls creates the call for a request and what shows decisions in its response
     * @param decide decides without blocking; a subscription that is cancelled first cancels it
     */
    static Object of(
            Method method,
            Class<?> bean,
            LimitedMethod limited,
            CurrentRequest current,
            BiFunction<@Nullable RequestView, Consumer<Decision>, LimitedCall> calls,
            BiFunction<LimitedCall, OpenCall, CompletableFuture<Decision>> decide) {
        CallerContext context = CallerContext.capture(current);
        RequestView request = current.view();
        Consumer<Decision> response = current.response(bean);
        CarriedRequest own = request == null ? null : new CarriedRequest(request);
        LimitedCall made = request == null ? null : calls.apply(request, response);
        Mono<Subscribed> subscription = Mono.deferContextual(subscriber -> {
            SubscribedRequest of = subscriber.getOrDefault(SubscribedRequest.class, null);
            boolean isOfCaller = own == null || (of == own && !own.isOver());
            CallerContext runsIn = isOfCaller ? context : CallerContext.capture(current);
            if (made != null && of == own) {
                return Mono.just(new Subscribed(made, runsIn));
            }
            Mono<RequestView> view = of == null ? Mono.empty() : of.view();
            return view.map(known -> calls.apply(known, of.response(bean)))
                    .switchIfEmpty(Mono.fromSupplier(() -> calls.apply(null, response)))
                    .map(call -> new Subscribed(call, runsIn));
        });
        // a suspending one returns a publisher, whatever its Kotlin type: Spring's proxy adapts that
        ReactiveAdapter adapter = suspends(method) ? null : adapter(limited.returned());
        BiFunction<Subscribed, OpenCall, Mono<Publisher<Object>>> chosen =
                (subscribed, open) -> Mono.fromFuture(() -> decide.apply(subscribed.call(), open))
                        .onErrorMap(subscribed.call().method()::forClients)
                        .map(decision -> subscribed.goOn(adapter, decision, current));
        UnaryOperator<Context> withRequest = subscriber -> ofSubscriber(subscriber, own, current);
        Publisher<?> result = isSingle(method, adapter)
                ? subscription
                        .flatMap(subscribed -> ReactiveEnd.ofOne(
                                subscribed.call(),
                                open -> chosen.apply(subscribed, open).flatMap(Mono::fromDirect)))
                        .contextWrite(withRequest)
                : subscription
                        .flatMapMany(subscribed -> ReactiveEnd.ofMany(
                                subscribed.call(),
                                open -> chosen.apply(subscribed, open).flatMapMany(Flux::from)))
                        .contextWrite(withRequest);
        if (adapter == null) {
            return result;
        }
        Object adapted = adapter.fromPublisher(result);
        return isFlow(limited.returned()) ? KotlinFlow.unbuffered(adapted) : adapted;
    }

    /** Ends the call with what the method has returned: a publisher that its declared type does not show, or as {@link StageReturn}. */
    static @Nullable Object ending(@Nullable Object returned, Class<?> declared, OpenCall open) {
        boolean mayEndLater =
                !(returned instanceof CompletionStage<?> || returned instanceof Optional<?>); // adapters look into that
        ReactiveAdapter adapter = open.isSettledLater() && mayEndLater ? ADAPTERS.getAdapter(null, returned) : null;
        if (adapter == null || !declared.isAssignableFrom(adapter.getReactiveType())) {
            return StageReturn.ending(returned, open);
        }
        Publisher<?> result = adapter.toPublisher(returned);
        return adapter.fromPublisher(
                adapter.isMultiValue()
                        ? ReactiveEnd.ofMany(open, Flux.from(result))
                        : ReactiveEnd.ofOne(open, Mono.from(result)));
    }

    /** For types that do nothing until they are subscribed to. Not for their subclasses, which no adapter creates. */
    private static @Nullable ReactiveAdapter adapter(Class<?> returned) {
        ReactiveAdapter adapter = ADAPTERS.getAdapter(returned);
        return adapter != null
                        && adapter.getReactiveType() == returned
                        && adapter.getDescriptor().isDeferred()
                ? adapter
                : null;
    }

    /**
     * Returns the context with the request that a subscription belongs to.
     *
     * @param own the request of the thread that called the method
     */
    private static Context ofSubscriber(Context subscriber, @Nullable CarriedRequest own, CurrentRequest current) {
        SubscribedRequest of = subscriber.getOrDefault(SubscribedRequest.class, null);
        if (of != null) {
            boolean isOwn = own != null && of instanceof CarriedRequest carried && carried.isSame(own);
            return isOwn ? subscriber.put(SubscribedRequest.class, own) : subscriber;
        }
        RequestView request = current.view();
        SubscribedRequest known =
                request == null || (own != null && own.isOf(request)) ? own : new CarriedRequest(request);
        return known == null ? subscriber : subscriber.put(SubscribedRequest.class, known);
    }

    private static boolean isSingle(Method method, @Nullable ReactiveAdapter adapter) {
        return adapter != null ? !adapter.isMultiValue() : !isFlow(new MethodParameter(method, -1).getParameterType());
    }

    private static boolean isFlow(Class<?> type) {
        return type.getName().equals(KotlinFlow.NAME);
    }
}
