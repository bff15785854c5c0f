package io.ratelimit.benchmarks;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedTransferQueue;

/**
 * No limiter and no store: one thread answers all callers, as the thread of a Redis client does. What is left is to put
 * callers to sleep and to wake them, so no limiter that does so for each decision is faster on this machine.
 */
final class WakeUps implements Contender {

    static final String NAME = "no store, callers only woken";

    private final LinkedTransferQueue<CompletableFuture<Boolean>> waiting = new LinkedTransferQueue<>();
    private final Thread answering = new Thread(this::answer, "answering");

    private WakeUps() {
        answering.setDaemon(true);
        answering.start();
    }

    static WakeUps open(RedisSite unused) {
        return new WakeUps();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public boolean tryAcquire(String subject) {
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        waiting.add(answer);
        return answer.join();
    }

    private void answer() {
        try {
            while (true) {
                waiting.take().complete(true);
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        answering.interrupt();
    }
}
