package io.ratelimit.internal.redis;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Charge;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.internal.Micros;
import io.ratelimit.internal.call.Block;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Layer;
import io.ratelimit.internal.call.OpenCalls;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.LimiterStore;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;

/** Calls at the store that no layer has made, and the stages of their answers. */
final class Asked {

    private static final RateLimiter NOBODY = InMemoryRateLimiter.create();
    private static final Layer ABOVE = new Above();
    private static final Map<PendingCall, CompletableFuture<Decision>> ANSWERS =
            Collections.synchronizedMap(new WeakHashMap<>());
    private static final Map<PendingCall, Decide> CALLS = Collections.synchronizedMap(new WeakHashMap<>());

    private Asked() {}

    /** The layer that made the calls, which the store in its place answers through. */
    private static final class Above extends Layer {

        private final Layer store;

        Above() {
            this(new LimiterStore(NOBODY));
        }

        private Above(Layer store) {
            super(store);
            this.store = store;
        }

        @Override
        public void call(Call call) {
            passOn(call);
        }
    }

    private static final Layer STORE = ((Above) ABOVE).store;

    static PendingCall call(Operation operation, List<Charge> charges, int times, long deadlineNanos) {
        boolean mayWait = operation == Operation.TRY;
        Acquisition acquisition =
                new Acquisition(charges, Optional.empty(), times, mayWait ? Duration.ofMinutes(1) : Duration.ZERO);
        CompletableFuture<Decision> answer = new CompletableFuture<>();
        Decide alone = Decide.alone(acquisition, ABOVE, Runnable::run, ended -> end(ended, answer));
        Decide peek = alone.peek(acquisition, ABOVE, ended -> end(ended, answer));
        PendingCall call = switch (operation) {
            case ACQUIRE, TRY -> PendingCall.deciding(alone, deadlineNanos, STORE);
            case PEEK -> PendingCall.deciding(peek, deadlineNanos, STORE);
            default -> PendingCall.banning(alone, operation, charges, deadlineNanos, STORE);
        };
        ANSWERS.put(call, answer);
        CALLS.put(call, alone);
        return call;
    }

    static PendingCall settling(List<Charge> charged, long[] actual, Decision decision, long deadlineNanos) {
        return settling(charged, actual, decision, new OpenCalls(), deadlineNanos);
    }

    static PendingCall settling(
            List<Charge> charged, long[] actual, Decision decision, OpenCalls open, long deadlineNanos) {
        CompletableFuture<Decision> answer = new CompletableFuture<>();
        Decide alone = Decide.alone(
                Acquisition.of(Limit.of("any", Algorithm.FIXED_WINDOW, 1, Duration.ofSeconds(1)), "any"),
                ABOVE,
                Runnable::run,
                ended -> end(ended, answer));
        PendingCall call = PendingSettlement.of(alone, charged, actual, decision, open, deadlineNanos, STORE);
        ANSWERS.put(call, answer);
        return call;
    }

    static PendingCall blocking(Charge charge, long micros, long remaining) {
        CompletableFuture<Decision> answer = new CompletableFuture<>();
        Block alone = new Block(
                charge.limit(), charge.subject(), remaining, Micros.toDuration(micros), Runnable::run, ended -> {});
        Block of = alone.of(charge.limit(), charge.subject(), remaining, ABOVE, ended -> end(ended, answer));
        PendingCall call = PendingBlock.of(of, 0, STORE);
        ANSWERS.put(call, answer);
        return call;
    }

    static CompletableFuture<Decision> answer(PendingCall call) {
        return ANSWERS.get(call);
    }

    static void cancel(PendingCall call) {
        CALLS.get(call).giveUp();
    }

    private static void end(Call ended, CompletableFuture<Decision> answer) {
        if (ended.failure() == null) {
            answer.complete(ended.decision());
        } else {
            answer.completeExceptionally(ended.failure());
        }
    }
}
