package io.ratelimit.benchmarks;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.ratelimit.Acquisition;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** The time that Redis itself spends on a decision, by its own account. */
final class RedisCpuSection implements Section {

    private static final int SUBJECTS = 1_024;
    private static final int BATCH = 32;
    private static final String ONE = "this library, batch of one";
    private static final String TWO = "this library, two limits";
    private static final String BATCHED = "this library, 32 subjects in one batch";

    @Override
    public String id() {
        return "redis-cpu";
    }

    @Override
    public Findings run(Site site) {
        site.redis().commands().flushall();
        Subjects subjects = new Subjects(SUBJECTS);
        try (StatefulRedisConnection<String, String> connection = site.redis().connect();
                OwnLimiter loadsTheScript = OwnLimiter.open(site.redis());
                GatewayScript gateway = GatewayScript.open(site.redis());
                WireTap tap = new WireTap()) {
            loadsTheScript.tryAcquire("first");
            RedisAsyncCommands<String, String> commands = connection.async();
            Contest<Double> contest = new Contest<>();
            contest.add(ONE, replay(site, commands, batches(tap, subjects, 1, false), 1));
            contest.add(BATCHED, replay(site, commands, batches(tap, subjects, BATCH, false), BATCH));
            contest.add(TWO, replay(site, commands, batches(tap, subjects, 1, true), 1));
            contest.add(gateway.name(), script(site, 1, i -> gateway.tryAcquireAsync(subject(subjects, i))));
            return findings(Reading.each(Unit.MICROS, contest.run(site.pace().rounds())));
        }
    }

    private static String subject(Subjects subjects, int index) {
        return subjects.get(index % SUBJECTS);
    }

    static List<EngineCall> batches(WireTap tap, Subjects subjects, int size, boolean twoLimits) {
        List<EngineCall> calls = new ArrayList<>();
        for (int start = 0; start + size <= subjects.count(); start += size) {
            calls.add(tap.callFor(subjects.all().subList(start, start + size).stream()
                    .map(subject -> Acquisition.of(Limits.AMPLE, subject))
                    .map(one -> twoLimits
                            ? one.and(Limits.AMPLE_TOO, one.charges().get(0).subject())
                            : one)
                    .toList()));
        }
        return calls;
    }

    private static Supplier<Double> replay(
            Site site, RedisAsyncCommands<String, String> commands, List<EngineCall> calls, int decisionsPerCall) {
        return script(site, decisionsPerCall, i -> calls.get(i % calls.size()).send(commands));
    }

    private static Supplier<Double> script(
            Site site, int decisionsPerCall, IntFunction<? extends CompletionStage<?>> call) {
        int calls = site.pace().calls() / decisionsPerCall;
        return () -> {
            site.redis().forgetStatistics();
            Pipeline.run(calls, 64, call);
            return site.redis().microsInScripts() / calls / decisionsPerCall;
        };
    }

    private Findings findings(Map<String, Reading> readings) {
        Reading one = Objects.requireNonNull(readings.get(ONE));
        Reading batched = Objects.requireNonNull(readings.get(BATCHED));
        Reading two = Objects.requireNonNull(readings.get(TWO));
        Reading gateway = Objects.requireNonNull(readings.get(GatewayScript.NAME));
        String title = "Redis CPU per decision, token bucket";
        return new Findings(
                id(),
                title,
                "`INFO commandstats`, µs in EVALSHA divided by decisions, over %,d subjects. Two limits are one all-or-nothing decision."
                        .formatted(SUBJECTS),
                List.of(
                        new Row("one limit, batch of one", one, gateway, Target.atMost(1)),
                        new Row("32 subjects in one batch", batched, gateway, Target.atMost(0.6)),
                        new Row("two limits, all or nothing", two, one, Target.atMost(1.8))),
                List.of(new BarChart(title, List.copyOf(readings.values()))));
    }
}
