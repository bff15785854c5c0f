package io.ratelimit.spring.hostile;

import io.ratelimit.testing.SeededRandom;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Hostile requests from several threads, in turn to both instances, and a victim who calls between them. */
final class Attack {

    private static final int THREADS = 4;
    private static final int CALLS_OF_THE_VICTIM = 50;

    private final int behindProxy;
    private final int atTheEdge;
    private final Victim victim;
    private final Answers answers = new Answers();

    /** On these ports. */
    Attack(int behindProxy, int atTheEdge, Victim victim) {
        this.behindProxy = behindProxy;
        this.atTheEdge = atTheEdge;
        this.victim = victim;
    }

    /** The victim calls last, and so finds whatever was charged to it. */
    Answers run(int requests) throws InterruptedException, ExecutionException, IOException {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> attackers = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                HostileRequests hostile = new HostileRequests(SeededRandom.of("hostile http " + i));
                Optional<Victim> between = i == 0 ? Optional.of(victim) : Optional.empty();
                attackers.add(threads.submit(() -> attack(hostile, requests / THREADS, between)));
            }
            for (Future<?> attacker : attackers) {
                attacker.get();
            }
            victim.call();
            return answers;
        } finally {
            threads.shutdownNow();
        }
    }

    private Void attack(HostileRequests hostile, int requests, Optional<Victim> between) throws IOException {
        try (RawClient proxy = new RawClient(behindProxy);
                RawClient edge = new RawClient(atTheEdge)) {
            for (int i = 0; i < requests; i++) {
                boolean proxied = i % 2 == 0;
                send(hostile.next(proxied), proxied ? proxy : edge);
                if (between.isPresent() && i % (requests / CALLS_OF_THE_VICTIM) == 0) {
                    between.get().call();
                }
            }
        }
        return null;
    }

    private void send(RawRequest request, RawClient client) {
        try {
            List<RawResponse> responses = request.alone() ? client.sendAlone(request) : client.send(request);
            responses.forEach(response -> Expected.check(request, response));
            answers.count(responses);
        } catch (IOException | RuntimeException | AssertionError failure) {
            throw new AssertionError(SeededRandom.seed() + ": " + failure + "\nto " + request, failure);
        }
    }
}
