package io.ratelimit.lab.partner;

import io.ratelimit.benchmarks.RedisSite;
import io.ratelimit.benchmarks.Table;
import io.ratelimit.lab.Rate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Twenty instances call a partner that enforces a limit, and are asked for twice as much as it allows. */
public final class PartnerExperiment {

    static final int INSTANCES = 20;
    /** The time that a request may wait, retries included. */
    static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Rate RATE = new Rate(100, 10_000_000);
    private static final Duration LENGTH = Duration.ofSeconds(60);

    private final Map<PartnerWindow.Kind, Map<PartnerContender, PartnerFigures>> figures =
            new EnumMap<>(PartnerWindow.Kind.class);

    private PartnerExperiment() {}

    /** Measures all contenders beside each other, each with a partner of its own: most of the time is waiting. */
    public static PartnerExperiment measure(RedisSite redis, long seed) {
        PartnerExperiment experiment = new PartnerExperiment();
        for (PartnerWindow.Kind kind : PartnerWindow.Kind.values()) {
            experiment.figures.put(kind, measure(kind, redis, seed));
        }
        return experiment;
    }

    private static Map<PartnerContender, PartnerFigures> measure(PartnerWindow.Kind kind, RedisSite redis, long seed) {
        Map<PartnerContender, PartnerRun> runs = new EnumMap<>(PartnerContender.class);
        for (PartnerContender contender : PartnerContender.values()) {
            runs.put(contender, new PartnerRun(contender, kind, RATE, redis));
        }
        runs.values().forEach(PartnerRun::warmUp);
        ExecutorService threads = Executors.newCachedThreadPool();
        Map<PartnerContender, CompletableFuture<PartnerFigures>> underWay = new LinkedHashMap<>();
        runs.forEach((contender, run) ->
                underWay.put(contender, CompletableFuture.supplyAsync(() -> run.offer(LENGTH, seed), threads)));
        Map<PartnerContender, PartnerFigures> figures = new EnumMap<>(PartnerContender.class);
        underWay.forEach((contender, run) -> figures.put(contender, run.join()));
        threads.shutdown();
        runs.values().forEach(PartnerRun::close);
        return figures;
    }

    /** Returns one table for each kind of partner. */
    public String body() {
        StringBuilder body = new StringBuilder();
        figures.forEach((kind, ofKind) ->
                body.append("A partner that counts %s:%n%n%s%n".formatted(kind.text(RATE), table(ofKind))));
        return body.toString();
    }

    private static String table(Map<PartnerContender, PartnerFigures> figures) {
        List<List<String>> rows = new ArrayList<>();
        figures.forEach((contender, found) -> rows.add(List.of(
                contender.text(),
                Integer.toString(found.sent()),
                "%d in %d windows".formatted(found.refused(), found.refusedWindows()),
                Integer.toString(found.mostRefused()),
                Integer.toString(found.early()),
                Integer.toString(found.closeRetries()),
                Integer.toString(found.mostAtOnce()),
                String.format(
                        Locale.ROOT,
                        "%.1f %%",
                        found.usedPercent(RATE.limit()
                                * LENGTH.toSeconds()
                                / RATE.window().toSeconds())))));
        return Table.of(
                List.of(
                        "contender",
                        "sent",
                        "answered 429",
                        "most in a window",
                        "sent early",
                        "retries close together",
                        "most at once",
                        "quota used"),
                rows);
    }

    /** Returns what was done, in words. */
    public String how() {
        return "%d instances of an application call a partner that allows %d in %d s and answers truly, with 429 and `Retry-After` to more. For %d s they are asked for twice as much, evenly, each request at any instance; a request waits for %d s at most, and is repeated when it is answered 429. `most in a window`: 429, in a window of the partner's. `sent early`: came to the partner after a 429, and before its `Retry-After` was over, also if it was on the way already. `retries close together`: came within 1 %% of the window after another. `most at once`: requests within 1 %% of the window. `quota used`: of what the partner allows in that time. On a busy machine answers take longer, so that more requests are on their way when one of them is a 429."
                .formatted(
                        INSTANCES, RATE.limit(), RATE.window().toSeconds(), LENGTH.toSeconds(), PATIENCE.toSeconds());
    }
}
