package io.ratelimit.testing;

import io.ratelimit.RateLimiter;
import io.ratelimit.internal.call.CallingRateLimiter;
import io.ratelimit.internal.call.Layer;
import java.util.function.Function;

/** A limiter of one layer, or a few, in front of any other limiter. Runs callbacks on the thread that answers. */
public final class Layered<L extends Layer> extends CallingRateLimiter {

    private final L layer;

    private Layered(L layer) {
        super(layer, Runnable::run);
        this.layer = layer;
    }

    public static <L extends Layer> Layered<L> over(RateLimiter store, Function<Layer, L> layer) {
        return new Layered<>(layer.apply(new LimiterStore(store)));
    }

    public L layer() {
        return layer;
    }
}
