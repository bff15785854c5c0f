package io.ratelimit.benchmarks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Callers that come independently of each other, so many a second on average, and wait for nobody. */
final class Poisson {

    private final SplittableRandom random;
    private final double perSecond;

    Poisson(SplittableRandom random, double perSecond) {
        this.random = random;
        this.perSecond = perSecond;
    }

    /** Lets callers come for that long, and returns how many came once all have their answers. */
    int run(Duration time, Supplier<CompletionStage<?>> caller) {
        List<CompletionStage<?>> called = new ArrayList<>();
        long startNanos = System.nanoTime();
        double nanos = 0;
        while (nanos < time.toNanos()) {
            LockSupport.parkNanos(startNanos + (long) nanos - System.nanoTime());
            called.add(caller.get());
            nanos -= 1e9 / perSecond * Math.log(1 - random.nextDouble());
        }
        called.forEach(each -> each.toCompletableFuture().join());
        return called.size();
    }
}
