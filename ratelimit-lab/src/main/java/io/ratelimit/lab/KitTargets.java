package io.ratelimit.lab;

import io.ratelimit.Algorithm;
import io.ratelimit.benchmarks.ApplicationProcess;
import io.ratelimit.benchmarks.RedisSite;
import io.ratelimit.lab.gateway.GatewayApplication;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Starts what the kit marks, all on one Redis: the sample application, Spring Cloud Gateway, and the contenders. */
final class KitTargets implements AutoCloseable {

    private static final Experiment ONE =
            Experiment.of("kit", "").rate(KitTarget.RATE).plan(random -> List.of());
    private static final Experiment TWO =
            Experiment.of("kit", "").rate(KitTarget.RATE).instances(2).plan(random -> List.of());
    private static final Map<String, String> GATEWAY_WORDS = Map.of(
            "body",
            "Its [reference](https://docs.spring.io/spring-cloud-gateway/reference/spring-cloud-gateway-server-webflux/gatewayfilter-factories/requestratelimiter-factory.html): \"If it is not, a status of `HTTP 429 - Too Many Requests` (by default) is returned\", and nothing else",
            "Retry-After",
            "Asked for in [spring-cloud-gateway #3707](https://github.com/spring-cloud/spring-cloud-gateway/issues/3707), open since 2025-02-25");

    private final List<KitTarget> all = new ArrayList<>();
    private final List<AutoCloseable> started = new ArrayList<>();

    private KitTargets() {}

    static KitTargets start(RedisSite redis) {
        KitTargets targets = new KitTargets();
        targets.startApplications(redis);
        StoreClock clock = StoreClock.of(redis.commands());
        Contenders.all().stream()
                .filter(contender -> contender.cannot(ONE).isEmpty())
                .forEach(contender -> targets.start(contender, redis, clock));
        return targets;
    }

    List<KitTarget> all() {
        return all;
    }

    private void startApplications(RedisSite redis) {
        List<CompletableFuture<ApplicationProcess>> processes = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            processes.add(
                    CompletableFuture.supplyAsync(() -> ApplicationProcess.sample(redis, "rate-limiter.timeout=1s")));
        }
        for (int i = 0; i < 2; i++) {
            processes.add(CompletableFuture.supplyAsync(
                    () -> ApplicationProcess.of(GatewayApplication.class, redis, "rate-limiter.enabled=false")));
        }
        List<Integer> ports = new ArrayList<>();
        for (CompletableFuture<ApplicationProcess> process : processes) {
            started.add(process.join());
            ports.add(process.join().port());
        }
        List.of(
                        Algorithm.SLIDING_WINDOW_LOG,
                        Algorithm.FIXED_WINDOW,
                        Algorithm.SLIDING_WINDOW_COUNTER,
                        Algorithm.TOKEN_BUCKET)
                .forEach(algorithm -> all.add(new KitTarget(
                        "sample application: " + algorithm.label(),
                        true,
                        algorithm == Algorithm.SLIDING_WINDOW_LOG ? KitTarget.RATE.limit() : 2 * KitTarget.RATE.limit(),
                        Map.of(),
                        addresses(ports.subList(0, 2), "/demo/" + algorithm.label()))));
        all.add(new KitTarget(
                "Spring Cloud Gateway: RequestRateLimiter",
                true,
                2 * KitTarget.RATE.limit(),
                GATEWAY_WORDS,
                addresses(ports.subList(2, 4), "/limited")));
    }

    private static List<String> addresses(List<Integer> ports, String path) {
        return List.of(
                "--url=http://127.0.0.1:%d%s".formatted(ports.get(0), path),
                "--second-url=http://127.0.0.1:%d%s".formatted(ports.get(1), path));
    }

    private void start(Contender contender, RedisSite redis, StoreClock clock) {
        Setup setup = new Setup(redis, KitTarget.RATE, contender.variant(), clock, new ConcurrentHashMap<>());
        List<String> addresses = new ArrayList<>();
        ContenderServer first = ContenderServer.start(contender.open(setup, ClockError.NONE));
        started.add(first);
        addresses.add("--url=" + first.url("/"));
        if (contender.cannot(TWO).isEmpty()) {
            ContenderServer second = ContenderServer.start(contender.open(setup, ClockError.NONE));
            started.add(second);
            addresses.add("--second-url=" + second.url("/"));
        }
        if (!contender.lacks().containsKey(Need.COSTS)) {
            addresses.add("--weighted-url=" + first.url("/" + ContenderServer.WEIGHT));
            addresses.add("--weight=" + ContenderServer.WEIGHT);
        }
        all.add(new KitTarget(
                contender.name(),
                false,
                contender.mostInAnyWindow(TWO),
                contender.setting().contains("gives no wait")
                        ? Map.of("Retry-After", "Its API gives no wait")
                        : Map.of(),
                addresses));
    }

    @Override
    public void close() {
        for (AutoCloseable service : started) {
            try {
                service.close();
            } catch (Exception failed) {
                throw new IllegalStateException("a service does not stop", failed);
            }
        }
    }
}
