package io.ratelimit.spring.internal.method;

import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.internal.rule.Call;
import io.ratelimit.spring.internal.rule.Condition;
import io.ratelimit.spring.internal.rule.Counted;
import io.ratelimit.spring.internal.rule.Element;
import io.ratelimit.spring.internal.rule.ExpressionCheck;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.Rule;
import io.ratelimit.spring.internal.rule.SubjectKey;
import io.ratelimit.spring.internal.rule.SubjectKeyParser;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.StringValueResolver;

/** Turns annotations into rules, and rejects those that cannot work. Thread-safe. */
public final class AnnotationReader {

    private final Limits limits;
    private final SubjectKeyParser keys;
    private final Expressions expressions;
    private final AttributeTexts texts;
    private final CostReader costs;
    private final String defaultKey;
    private final FailurePolicy defaultPolicy;
    private final InlineLimits inline;

    /**
     * Creates a reader.
     *
     * @param placeholders resolves {@code ${...}}
     * @param countedByLimits which calls count for a limit, by its name
     */
    public AnnotationReader(
            Limits limits,
            SubjectKeyParser keys,
            Expressions expressions,
            StringValueResolver placeholders,
            String defaultKey,
            FailurePolicy defaultPolicy,
            Map<String, Counted> countedByLimits) {
        this.limits = limits;
        this.keys = keys;
        this.expressions = expressions;
        this.texts = new AttributeTexts(placeholders);
        this.costs = new CostReader(texts, expressions, countedByLimits);
        this.defaultKey = defaultKey;
        this.defaultPolicy = defaultPolicy;
        this.inline = new InlineLimits(limits);
    }

    /**
     * Returns what the annotations of a method declare.
     *
     * @throws InvalidRateLimitException if they cannot work
     */
    LimitedMethod read(List<DeclaredLimit> declared, Method method, Class<?> type) {
        List<Rule> rules = new ArrayList<>();
        Map<String, Limit> publicLimits = new HashMap<>();
        Method fallback = null;
        Duration maxWait = null;
        for (DeclaredLimit limit : declared) {
            RateLimited annotation = limit.annotation();
            AnnotatedMethod site = new AnnotatedMethod(method, limit.owner(), rules.size());
            rules.add(rule(annotation, site, publicLimits));
            maxWait = shorter(maxWait, maxWait(annotation, site));
            String fallbackName = texts.resolve("fallbackMethod", annotation.fallbackMethod(), site);
            if (fallback == null && !fallbackName.isEmpty()) {
                fallback = FallbackMethodFinder.find(fallbackName, method, type, site.where());
            }
        }
        AnnotatedMethod annotated = new AnnotatedMethod(method, type, 0);
        ChargedOnce.check(rules, annotated);
        return new LimitedMethod(
                annotated.limitName(), rules, fallback, maxWait == null ? Duration.ZERO : maxWait, publicLimits);
    }

    private @Nullable Duration maxWait(RateLimited annotation, AnnotatedMethod site) {
        String text = texts.resolve("maxWait", annotation.maxWait(), site);
        Duration maxWait = InlineLimits.duration("maxWait", text, site);
        if (maxWait != null && (maxWait.isNegative() || maxWait.compareTo(Duration.ofDays(1)) > 0)) {
            throw new InvalidRateLimitException(
                    MessageCode.SETTING_INVALID,
                    site.where(),
                    "maxWait '%s' must be at least 0 and at most 24h".formatted(text));
        }
        return maxWait;
    }

    private static @Nullable Duration shorter(@Nullable Duration one, @Nullable Duration other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.compareTo(other) < 0 ? one : other;
    }

    private Rule rule(RateLimited annotation, AnnotatedMethod site, Map<String, Limit> publicLimits) {
        List<Limit> limits = limits(annotation, site, publicLimits);
        String key = texts.resolve("key", annotation.key(), site);
        SubjectKey subject = keys.parse(key.isEmpty() ? defaultKey : key, site.where(), site.method());
        return new Rule(
                limits,
                subject,
                element(texts.resolve("element", annotation.element(), site), subject, limits, site),
                costs.cost(annotation, limits, site),
                policy(texts.resolve("onStoreFailure", annotation.onStoreFailure(), site), site),
                condition(texts.resolve("condition", annotation.condition(), site), site),
                costs.settling(annotation, limits, site));
    }

    private List<Limit> limits(RateLimited annotation, AnnotatedMethod site, Map<String, Limit> publicLimits) {
        List<Limit> limits = new ArrayList<>();
        for (String name : annotation.value()) {
            limits.add(named(texts.resolve("value", name, site), site));
        }
        inline.find(annotation, site, (name, text) -> texts.resolve(name, text, site))
                .ifPresent(limit -> {
                    limits.add(limit);
                    if (limit.name().equals(site.limitName())) {
                        publicLimits.put(limit.name(), renamed(limit, site.publicName()));
                    }
                });
        return limits.isEmpty() ? List.of(named("default", site)) : limits;
    }

    private static Limit renamed(Limit limit, String name) {
        return new Limit(name, limit.algorithm(), limit.quota(), limit.lease(), limit.shards(), limit.ban());
    }

    private Limit named(String name, AnnotatedMethod site) {
        try {
            return limits.get(name);
        } catch (IllegalArgumentException unknown) {
            throw new InvalidRateLimitException(MessageCode.LIMIT_UNKNOWN, site.where(), unknown.getMessage(), unknown);
        }
    }

    private @Nullable Element element(String text, SubjectKey key, List<Limit> limits, AnnotatedMethod site) {
        Element element =
                text.isEmpty() ? null : new Element(keys.parseElement(text, site.where(), site.method()), site.where());
        Element.check(element, key, limits, site.where());
        return element;
    }

    private FailurePolicy policy(String policy, AnnotatedMethod site) {
        if (policy.isEmpty()) {
            return defaultPolicy;
        }
        return Arrays.stream(FailurePolicy.values())
                .filter(known -> known.name().toLowerCase(Locale.ROOT).equals(policy.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new InvalidRateLimitException(
                        MessageCode.VALUE_UNREADABLE,
                        site.where(),
                        "onStoreFailure '%s' is unknown: use local, open or closed".formatted(policy)));
    }

    /** A condition that fails counts as true, so that bad input does not bypass a limit. */
    private Predicate<Call> condition(String condition, AnnotatedMethod site) {
        if (condition.isEmpty()) {
            return call -> true;
        }
        SpelExpression expression = expressions.parse(condition, site.where(), site.method());
        ExpressionCheck.checkCondition(expression.getAST(), site.method().getDeclaringClass(), condition, site.where());
        return new Condition(expression, site.where());
    }
}
