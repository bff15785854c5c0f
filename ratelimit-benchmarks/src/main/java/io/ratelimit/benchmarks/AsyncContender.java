package io.ratelimit.benchmarks;

import java.util.concurrent.CompletionStage;

/** A contender that can also answer later. */
interface AsyncContender extends Contender {

    CompletionStage<Boolean> tryAcquireAsync(String subject);
}
