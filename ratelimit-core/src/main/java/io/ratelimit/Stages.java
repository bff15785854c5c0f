package io.ratelimit;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Waiting for a stage, and seeing what it failed with rather than what wraps that. */
final class Stages {

    private Stages() {}

    static <T> T join(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }
}
