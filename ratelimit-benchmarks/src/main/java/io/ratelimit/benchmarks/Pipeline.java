package io.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

/** Sends many calls, some at a time, and waits for all of them. */
final class Pipeline {

    private Pipeline() {}

    static void run(int calls, int atATime, IntFunction<? extends CompletionStage<?>> call) {
        List<CompletionStage<?>> underWay = new ArrayList<>();
        for (int i = 0; i < calls; i++) {
            underWay.add(call.apply(i));
            if (underWay.size() == atATime || i == calls - 1) {
                underWay.forEach(stage -> stage.toCompletableFuture().join());
                underWay.clear();
            }
        }
    }
}
