package io.ratelimit.spring.codes;

import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.internal.live.Overrides;
import io.ratelimit.spring.internal.operate.ObservedDecisions;
import io.ratelimit.spring.internal.rule.ActualCost;
import io.ratelimit.spring.internal.rule.Call;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.rule.Condition;
import io.ratelimit.spring.internal.rule.Cost;
import io.ratelimit.spring.internal.rule.Element;
import io.ratelimit.spring.internal.rule.Ending;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.OpenCall;
import io.ratelimit.spring.internal.rule.Plan;
import io.ratelimit.spring.internal.rule.Rule;
import io.ratelimit.spring.internal.rule.Settling;
import io.ratelimit.spring.internal.rule.SubjectKey;
import io.ratelimit.spring.internal.rule.SubjectKeyParser;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.FakeRequest;
import io.ratelimit.spring.testing.LogCapture;
import io.ratelimit.spring.testing.SlowStore;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.stack.RateLimiterStack;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import reactor.core.scheduler.Schedulers;

/** What is logged when something fails while a call is decided. */
final class FailingCalls {

    private static final Acquisition ONE =
            Acquisition.of(Limit.of("one", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1)), "alice");

    private FailingCalls() {}

    static List<String> blockedThread() {
        try (LogCapture log = LogCapture.start()) {
            Contexts.plain()
                    .withBean(RateLimiter.class, SlowStore::new)
                    .withBean(Mistakes.Global.class)
                    .run(context -> {
                        Mistakes.Global bean = context.getBean(Mistakes.Global.class);
                        Schedulers.parallel().schedule(bean::call);
                        await().until(() -> !log.messages(Level.WARN).isEmpty());
                        context.getBean(SlowStore.class).answer(1);
                    });
            return log.messages(Level.WARN);
        }
    }

    static List<String> failedKey() {
        Expressions expressions = new Expressions(new DefaultListableBeanFactory());
        FakeRequest request = new FakeRequest("203.0.113.9");
        return warnings(() -> keys().parse("#request.header('X').length()", "here", null)
                .subject(new Call(request, () -> expressions.over(request))));
    }

    static List<String> keyWithoutRequest() {
        return warnings(() -> keys().parse("ip", "here", null).subject(outsideARequest()));
    }

    static List<String> noLevel() {
        Rule rule = new Rule(
                List.of(ONE.charges().get(0).limit()),
                keys().parse("principal", "here", null),
                null,
                Cost.fixed(1, List.of(), "here"),
                FailurePolicy.OPEN,
                call -> true,
                Settling.NONE);
        FakeRequest request = new FakeRequest("203.0.113.9");
        return warnings(
                () -> Rule.charges(List.of(rule.asLevel(rule)), new Call(request, StandardEvaluationContext::new)));
    }

    static List<String> failedCost() {
        Cost cost = Cost.of(parsed("'many'"), "here");
        return warnings(() -> Rule.charges(
                List.of(new Rule(
                        List.of(ONE.charges().get(0).limit()),
                        keys().parse("global", "here", null),
                        null,
                        cost,
                        FailurePolicy.OPEN,
                        call -> true,
                        Settling.NONE)),
                outsideARequest()));
    }

    static List<String> failedCondition() {
        return warnings(() -> new Condition(parsed("#nothing.isSmall()"), "here").test(outsideARequest()));
    }

    static List<String> unknownActualCost() {
        ActualCost cost = ActualCost.of(parsed("#result"), "here");
        return warnings(() -> cost.of(outsideARequest(), 1, Ending.returned("many")));
    }

    static List<String> streamWithoutCost() {
        ActualCost cost = ActualCost.of(parsed("#result"), "here");
        return warnings(() -> cost.of(outsideARequest(), 1, Ending.returned(0).ofElements()));
    }

    static List<String> contradictoryAddresses() {
        ClientAddresses addresses = new ClientAddresses(List.of("10.0.0.0/8"), null, 64);
        return warnings(() -> addresses.find(
                "10.0.0.1", name -> List.of(name.equals("Forwarded") ? "for=203.0.113.9" : "198.51.100.1")));
    }

    static List<String> absentElement() {
        Element device = new Element(keys().parse("header:X-Device", "here", null), "here");
        FakeRequest request = new FakeRequest("203.0.113.9");
        return warnings(() -> device.of(new Call(request, StandardEvaluationContext::new), () -> {}));
    }

    static List<String> differentElements() {
        Limit devices = Limit.of("devices", Algorithm.UNIQUE_COUNT, 5, Duration.ofMinutes(1));
        List<Rule> rules = Stream.of("header:X-Device", "header:X-Phone")
                .map(element -> new Rule(
                        List.of(devices),
                        keys().parse("global", "here", null),
                        new Element(keys().parseElement(element, "here", null), "here"),
                        Cost.fixed(1, List.of(), "here"),
                        FailurePolicy.OPEN,
                        call -> true,
                        Settling.NONE))
                .toList();
        FakeRequest request =
                new FakeRequest("203.0.113.9").withHeader("X-Device", "a").withHeader("X-Phone", "b");
        CallLimiter limiter = new CallLimiter(InMemoryRateLimiter.create(), (limit, reason) -> {});
        return warnings(() -> limiter.decide(
                Rule.charges(rules, new Call(request, StandardEvaluationContext::new))
                        .orElseThrow(),
                new OpenCall()));
    }

    static List<String> parameterInBody() {
        SubjectKey key = keys().parse("param:username", "here", null);
        FakeRequest request = new FakeRequest("203.0.113.9").withMethod("POST");
        return warnings(() ->
                IntStream.range(0, 200).forEach(i -> key.subject(new Call(request, StandardEvaluationContext::new))));
    }

    static List<String> overrideThatDoesNotFit() {
        try (Overrides overrides = new Overrides(event -> {})) {
            overrides.begin("api", 3, null, Duration.ofMinutes(1));
            Limit leased = Limit.of("api", Algorithm.TOKEN_BUCKET, 10, Duration.ofMinutes(1))
                    .withLease(5);
            return warnings(() -> overrides.of(leased));
        }
    }

    static List<String> unknownPlan() {
        Plan plan = keys().parsePlan("'platinum'", "here", null);
        return warnings(() -> plan.of(outsideARequest(), Set.of("gold")));
    }

    static List<String> failedProvider() {
        try (LogCapture log = LogCapture.start();
                RateLimiterStack stack = RateLimiterStack.inMemory()
                        .timeout(Duration.ofMinutes(1))
                        .provider((limit, subject) -> {
                            throw new IllegalStateException("broken");
                        })
                        .build()) {
            stack.acquire(ONE);
            await().until(() -> !log.messages(Level.WARN).isEmpty()); // logged beside the call
            return log.messages(Level.WARN);
        }
    }

    static List<String> failedListener() {
        return warnings(() -> {
            try (RateLimiterStack stack = RateLimiterStack.inMemory()
                    .listener((acquisition, decision) -> {
                        throw new IllegalStateException("broken");
                    })
                    .build()) {
                stack.acquire(ONE);
            }
        });
    }

    static List<String> failedObservation() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<>() {
            @Override
            public void onStart(Observation.Context context) {
                throw new IllegalStateException("broken");
            }

            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return warnings(() -> RateLimiterStack.inMemory()
                .listener(new ObservedDecisions(registry))
                .build()
                .acquire(ONE));
    }

    static List<String> failedErrorView() {
        try (TestApp app = TestApp.start(
                List.of(Mistakes.BrokenView.class),
                "rate-limiter.routes.all.paths=/**",
                "rate-limiter.routes.all.max-requests=1")) {
            return warnings(() -> {
                app.get("/", "Accept", "text/html");
                app.get("/", "Accept", "text/html");
            });
        }
    }

    private static List<String> warnings(Runnable call) {
        try (LogCapture log = LogCapture.start()) {
            call.run();
            return log.messages(Level.WARN);
        }
    }

    private static SubjectKeyParser keys() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        return new SubjectKeyParser(beans, new Expressions(beans));
    }

    private static SpelExpression parsed(String text) {
        return new SpelExpressionParser().parseRaw(text);
    }

    private static Call outsideARequest() {
        return new Call(null, StandardEvaluationContext::new);
    }
}
