package io.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** All that is measured, and what is required of it. A new row is one more line here, or one more {@link Section}. */
final class Catalogue {

    private static final BlockingLoad THREADS = BlockingLoad.platform(32);
    private static final OutstandingLoad CALLBACKS = new OutstandingLoad(1_000);
    private static final int MANY = 10_000;

    private Catalogue() {}

    static List<Section> sections() {
        List<Section> sections = new ArrayList<>(List.of(
                oneBlocking(),
                oneAsync(),
                manyBlocking(),
                manyAsync(),
                lone(),
                new LeaseSection(),
                new RefusalSection(),
                new FilterSection(),
                new AdditionsSection(),
                outbound(),
                new HttpSection(HttpThreads.PLATFORM),
                new HttpSection(HttpThreads.VIRTUAL),
                new ColdHttpSection(),
                new OutageSection(),
                new RedisCpuSection(),
                new AlgorithmCpuSection(),
                new RedisMemorySection(),
                new RedisGrowthSection(),
                new LogGrowthSection(),
                new InProcessSection(),
                new HeapSection(),
                new InProcessGrowthSection()));
        sections.addAll(NetworkSection.all());
        sections.add(new TimeoutSection());
        return sections;
    }

    private static Section oneBlocking() {
        return new ContestSection<Contender>(
                        "one-blocking",
                        "32 blocking threads, one subject",
                        "Each thread waits for a decision before it asks for the next. The last row has no store to wait for.",
                        Unit.DECISIONS_PER_SECOND,
                        1,
                        THREADS,
                        Sample::perSecond,
                        OwnLimiter::open)
                .against(Bucket4jRedis::byDefault, Target.atLeast(20))
                .against(Bucket4jRedis::batching, Target.none())
                .against(RedissonLimiter::open, Target.atLeast(5))
                .against(PlainEvalsha::open, Target.atLeast(2))
                .against(GatewayScript::open, Target.none())
                .against(SortedSetLog::open, Target.none())
                .against(WakeUps::open, Target.none());
    }

    private static Section oneAsync() {
        return new ContestSection<AsyncContender>(
                        "one-async",
                        "Callbacks, one subject",
                        "1,000 decisions are always outstanding; each answer asks for the next.",
                        Unit.DECISIONS_PER_SECOND,
                        1,
                        CALLBACKS,
                        Sample::perSecond,
                        OwnLimiter::open)
                .against(PlainEvalsha::open, Target.atLeast(30))
                .against(GatewayScript::open, Target.none());
    }

    private static Section manyBlocking() {
        return new ContestSection<Contender>(
                        "many-blocking",
                        "32 blocking threads, 10,000 subjects",
                        "As above, each decision about any of the subjects.",
                        Unit.DECISIONS_PER_SECOND,
                        MANY,
                        THREADS,
                        Sample::perSecond,
                        OwnLimiter::open)
                .against(Bucket4jRedis::byDefault, Target.atLeast(3))
                .against(RedissonLimiter::open, Target.atLeast(3))
                .against(PlainEvalsha::open, Target.atLeast(1.3))
                .against(Bucket4jRedis::batching, Target.none())
                .against(GatewayScript::open, Target.none());
    }

    private static Section manyAsync() {
        return new ContestSection<AsyncContender>(
                        "many-async",
                        "Callbacks, 10,000 subjects",
                        "1,000 decisions are always outstanding, each about any of the subjects.",
                        Unit.DECISIONS_PER_SECOND,
                        MANY,
                        CALLBACKS,
                        Sample::perSecond,
                        OwnLimiter::open)
                .against(PlainEvalsha::open, Target.atLeast(2.5))
                .against(GatewayScript::open, Target.none());
    }

    private static Section lone() {
        return new ContestSection<Contender>(
                        "lone-caller",
                        "One blocking caller, nothing else: median time of a decision",
                        "One thread, one subject; a round is the median of its calls.",
                        Unit.MICROS,
                        1,
                        BlockingLoad.platform(1),
                        Sample::medianMicros,
                        OwnLimiter::open)
                .against(PlainEvalsha::open, Target.atMost(1.1))
                .against(RedissonLimiter::open, Target.none())
                .against(GatewayScript::open, Target.none());
    }

    private static Section outbound() {
        return new ContestSection<Contender>(
                        "outbound",
                        "A request to a partner, without the partner: median time",
                        "One thread, one subject; a round is the median of its calls. A `RestClient` of Spring Boot's builder with `rate-limiter.clients`, whose answer is there at once and leaves more than the limit, beside one without limits that decides before.",
                        Unit.MICROS,
                        1,
                        BlockingLoad.platform(1),
                        Sample::medianMicros,
                        PartnerCall::limited)
                .against(PartnerCall::decidedBefore, Target.atMost(1.05));
    }
}
