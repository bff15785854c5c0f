package io.ratelimit.lab.partner;

import io.ratelimit.benchmarks.RedisSite;
import io.ratelimit.lab.Rate;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One contender: its instances, the partner that they call, and the requests that they are to send. */
final class PartnerRun implements AutoCloseable {

    private static final int WARM_UP = 20;

    private final PartnerServer partner;
    private final PartnerWindow.Kind kind;
    private final Rate rate;
    private final List<Instance> instances = new ArrayList<>();
    private final ExecutorService requests = Executors.newCachedThreadPool(daemons -> {
        Thread thread = new Thread(daemons, "request");
        thread.setDaemon(true);
        return thread;
    });

    PartnerRun(PartnerContender contender, PartnerWindow.Kind kind, Rate rate, RedisSite redis) {
        this.kind = kind;
        this.rate = rate;
        partner = PartnerServer.start(kind, rate);
        HttpClient http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        PartnerSetup setup = new PartnerSetup("partner-" + kind + contender, redis, rate, http, partner.host());
        for (int i = 0; i < PartnerExperiment.INSTANCES; i++) {
            instances.add(contender.open(setup));
        }
    }

    void warmUp() {
        for (int i = 0; i < WARM_UP; i++) {
            instances.forEach(Instance::warmUp);
        }
    }

    /** Offers twice what the partner allows, each request at its time and to any instance, and returns what the partner saw. */
    PartnerFigures offer(Duration length, long seed) {
        Random random = new Random(seed);
        long startNanos = System.nanoTime();
        long stepNanos = rate.window().toNanos() / rate.limit() / 2;
        for (long atNanos = 0; atNanos < length.toNanos(); atNanos += stepNanos) {
            parkUntil(startNanos + atNanos);
            Instance instance = instances.get(random.nextInt(instances.size()));
            requests.execute(() -> send(instance));
        }
        parkUntil(startNanos + length.toNanos());
        List<Arrival> arrivals = partner.arrivals();
        requests.shutdownNow();
        return PartnerFigures.of(arrivals, kind, rate);
    }

    private void send(Instance instance) {
        try {
            repeat(instance);
        } catch (RuntimeException failed) {
            if (!requests.isShutdown()) {
                throw failed;
            }
        }
    }

    /** Repeats a request until it is answered 200, or was not in time. */
    private static void repeat(Instance instance) {
        long endNanos = System.nanoTime() + PartnerExperiment.PATIENCE.toNanos();
        for (int number = 1; ; number++) {
            Duration patience = Duration.ofNanos(endNanos - System.nanoTime());
            if (patience.isNegative() || Thread.currentThread().isInterrupted()) {
                return;
            }
            Attempt attempt = instance.send(number, patience);
            if (attempt.outcome() != Attempt.Outcome.REFUSED) {
                return;
            }
            instance.refused(attempt.retryAfter());
        }
    }

    private static void parkUntil(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    @Override
    public void close() {
        requests.shutdownNow();
        try {
            requests.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        instances.forEach(PartnerRun::close);
        partner.close();
    }

    private static void close(Instance instance) {
        try {
            instance.close();
        } catch (Exception failed) {
            throw new IllegalStateException("an instance does not stop", failed);
        }
    }
}
