package io.ratelimit.spring.internal.method;

import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.internal.rule.LimitDefinition;
import io.ratelimit.spring.internal.rule.Rule;
import io.ratelimit.spring.internal.rule.RuleFactory;
import io.ratelimit.spring.internal.rule.RuleText;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.StringValueResolver;

/** Turns annotations into rules, and rejects those that cannot work. Thread-safe. */
public final class AnnotationReader {

    private static final Duration LONGEST_WAIT = Duration.ofDays(1);

    private final RuleFactory rules;
    private final StringValueResolver placeholders;
    private final Map<String, Limit> named = new ConcurrentHashMap<>();

    /**
     * Creates a reader.
     *
     * @param placeholders resolves {@code ${...}}
     */
    public AnnotationReader(RuleFactory rules, StringValueResolver placeholders) {
        this.rules = rules;
        this.placeholders = placeholders;
    }

    /**
     * Returns what the annotations of a method declare.
     *
     * @throws InvalidRateLimitException if they cannot work
     */
    LimitedMethod read(List<DeclaredLimit> declared, Method method, Class<?> type) {
        List<Rule> read = new ArrayList<>();
        Map<String, Boolean> charged = new HashMap<>();
        Map<String, String> publicNames = new HashMap<>();
        Method fallback = null;
        Duration maxWait = null;
        for (DeclaredLimit limit : declared) {
            RateLimited annotation = limit.annotation();
            AnnotatedMethod site = new AnnotatedMethod(limit.method(), limit.owner(), read.size());
            AttributeTexts texts = new AttributeTexts(placeholders, site.where());
            Rule rule = rule(annotation, method, type, texts, site, publicNames);
            read.add(rule);
            boolean isConditional = texts.text("condition", annotation.condition()) != null;
            checkChargedOnce(rule, isConditional, charged, site);
            maxWait = shorter(maxWait, maxWait(annotation, texts));
            String fallbackName = texts.text("fallbackMethod", annotation.fallbackMethod());
            if (fallback == null && fallbackName != null) {
                fallback = FallbackMethodFinder.find(fallbackName, method, type, site.where());
            }
        }
        return new LimitedMethod(
                new AnnotatedMethod(method, type, 0).limitName(),
                read,
                fallback,
                maxWait == null ? Duration.ZERO : maxWait,
                returned(method, type),
                publicNames);
    }

    private static Class<?> returned(Method method, Class<?> type) {
        return ResolvableType.forMethodReturnType(AopUtils.getMostSpecificMethod(method, type), type)
                .toClass();
    }

    private static @Nullable Duration maxWait(RateLimited annotation, AttributeTexts texts) {
        Duration maxWait = texts.duration("maxWait", annotation.maxWait());
        if (maxWait != null && (maxWait.isNegative() || maxWait.compareTo(LONGEST_WAIT) > 0)) {
            throw new InvalidRateLimitException(
                    MessageCode.SETTING_INVALID,
                    texts.where(),
                    "maxWait '%s' must be at least 0 and at most 24h"
                            .formatted(texts.resolved("maxWait", annotation.maxWait())));
        }
        return maxWait;
    }

    private static @Nullable Duration shorter(@Nullable Duration one, @Nullable Duration other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return one.compareTo(other) < 0 ? one : other;
    }

    private Rule rule(
            RateLimited annotation,
            Method method,
            Class<?> type,
            AttributeTexts texts,
            AnnotatedMethod site,
            Map<String, String> publicNames) {
        List<Limit> limits = limits(annotation, texts, site, publicNames);
        return rules.rule(new RuleText(
                site.where(),
                attribute -> site.where(),
                method,
                type,
                Set.of(),
                limits,
                limits,
                Map.of(),
                texts.text("plan", annotation.plan()),
                texts.text("key", annotation.key()),
                texts.text("element", annotation.element()),
                texts.text("cost", annotation.cost()),
                texts.text("actualCost", annotation.actualCost()),
                texts.texts("count", annotation.count()),
                texts.text("condition", annotation.condition()),
                List.of(),
                texts.text("onStoreFailure", annotation.onStoreFailure())));
    }

    private List<Limit> limits(
            RateLimited annotation, AttributeTexts texts, AnnotatedMethod site, Map<String, String> publicNames) {
        List<Limit> limits = new ArrayList<>();
        for (String name : annotation.value()) {
            limits.add(rules.limit(texts.resolved("value", name), site.where()));
        }
        String name = texts.text("name", annotation.name());
        LimitDefinition own = new LimitDefinition(
                site.where(),
                name == null ? site.limitName() : name,
                texts.text("algorithm", annotation.algorithm()),
                texts.number("maxRequests", annotation.maxRequests()),
                texts.duration("windowSize", annotation.windowSize()),
                texts.number("burst", annotation.burst()),
                null,
                null);
        if (own.isPresent()) {
            Limit limit = own.limit();
            limits.add(limit);
            if (name == null) {
                publicNames.put(limit.name(), site.publicName());
            } else {
                checkName(limit, site);
            }
        } else if (name != null) {
            throw new InvalidRateLimitException(
                    MessageCode.NAME_WITHOUT_LIMIT,
                    site.where(),
                    "name '%s' is for a limit of the annotation's own: set maxRequests, or leave out the name"
                            .formatted(name));
        }
        return limits.isEmpty() ? List.of(rules.limit("default", site.where())) : limits;
    }

    /** Limits of one name share their counts, so that their numbers must be the same. */
    private void checkName(Limit limit, AnnotatedMethod site) {
        Limit other = named.putIfAbsent(limit.name(), limit);
        String owner = rules.isConfigured(limit.name())
                ? "a configured limit: choose another, or use that limit as value"
                : other != null && !other.equals(limit)
                        ? "another annotation's limit with other numbers: choose another name"
                        : "";
        if (!owner.isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.LIMIT_NAME_TAKEN,
                    site.where(),
                    "name '%s' is that of %s".formatted(limit.name(), owner));
        }
    }

    /**
     * A limit that is named twice for one subject would admit half of its quota, or count two elements of one call. Conditions
     * may exclude each other.
     *
     * @param charged what stands there before, and whether that is under a condition
     */
    private static void checkChargedOnce(
            Rule rule, boolean isConditional, Map<String, Boolean> charged, AnnotatedMethod site) {
        for (Limit limit : rule.limits()) {
            Boolean before = charged.put(limit.name() + " by " + rule.key().text(), isConditional);
            if (before != null && !(before && isConditional)) {
                throw new InvalidRateLimitException(
                        MessageCode.ANNOTATIONS_CHARGE_TWICE,
                        site.where(),
                        "limit '%s' stands there twice with the key '%s', so that each call %s: name it once"
                                .formatted(
                                        limit.name(),
                                        rule.key().text(),
                                        limit.algorithm().countsElements()
                                                ? "has two elements of one subject"
                                                : "is charged twice"));
            }
        }
    }
}
