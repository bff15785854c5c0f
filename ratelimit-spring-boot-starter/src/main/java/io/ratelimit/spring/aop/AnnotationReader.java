package io.ratelimit.spring.aop;

import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.MessageCode;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.key.Call;
import io.ratelimit.spring.key.ExpressionCheck;
import io.ratelimit.spring.key.Expressions;
import io.ratelimit.spring.key.SubjectKeyParser;
import io.ratelimit.spring.rule.ActualCost;
import io.ratelimit.spring.rule.Condition;
import io.ratelimit.spring.rule.Cost;
import io.ratelimit.spring.rule.Element;
import io.ratelimit.spring.rule.Rule;
import io.ratelimit.spring.rule.Settling;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.PlaceholderResolutionException;
import org.springframework.util.StringValueResolver;

/** Turns annotations into rules, and rejects those that cannot work. Thread-safe. */
public final class AnnotationReader {

    private final Limits limits;
    private final SubjectKeyParser keys;
    private final Expressions expressions;
    private final StringValueResolver placeholders;
    private final String defaultKey;
    private final FailurePolicy defaultPolicy;
    private final InlineLimits inline;

    /**
     * Reads with these.
     *
     * @param placeholders resolves {@code ${...}}
     */
    public AnnotationReader(
            Limits limits,
            SubjectKeyParser keys,
            Expressions expressions,
            StringValueResolver placeholders,
            String defaultKey,
            FailurePolicy defaultPolicy) {
        this.limits = limits;
        this.keys = keys;
        this.expressions = expressions;
        this.placeholders = placeholders;
        this.defaultKey = defaultKey;
        this.defaultPolicy = defaultPolicy;
        this.inline = new InlineLimits(limits);
    }

    /**
     * What the annotations of a method come to.
     *
     * @throws InvalidRateLimitException if they cannot work
     */
    LimitedMethod read(List<DeclaredLimit> declared, Method method, Class<?> type) {
        List<Rule> rules = new ArrayList<>();
        Map<String, Limit> publicLimits = new HashMap<>();
        Method fallback = null;
        for (DeclaredLimit limit : declared) {
            RateLimited annotation = limit.annotation();
            AnnotatedMethod site = new AnnotatedMethod(method, limit.owner(), rules.size());
            rules.add(rule(annotation, site, publicLimits));
            String fallbackName = text("fallbackMethod", annotation.fallbackMethod(), site);
            if (fallback == null && !fallbackName.isEmpty()) {
                fallback = FallbackMethodFinder.find(fallbackName, method, type, site.where());
            }
        }
        AnnotatedMethod annotated = new AnnotatedMethod(method, type, 0);
        checkChargedOnce(rules, annotated);
        return new LimitedMethod(annotated.limitName(), rules, fallback, Map.copyOf(publicLimits));
    }

    /** The same limit twice for the same subject would admit half of what it says. */
    private static void checkChargedOnce(List<Rule> rules, AnnotatedMethod site) {
        Set<String> charged = new HashSet<>();
        for (Rule rule : rules) {
            for (Limit limit : rule.limits()) {
                if (!charged.add(limit.name() + " by " + rule.key().text())) {
                    throw new InvalidRateLimitException(
                            MessageCode.ANNOTATIONS_CHARGE_TWICE,
                            site.where(),
                            "limit '%s' stands there twice with the key '%s', so that each call is charged twice: name it once"
                                    .formatted(limit.name(), rule.key().text()));
                }
            }
        }
    }

    private Rule rule(RateLimited annotation, AnnotatedMethod site, Map<String, Limit> publicLimits) {
        List<Limit> asked = limits(annotation, site, publicLimits);
        String key = text("key", annotation.key(), site);
        return new Rule(
                asked,
                keys.parse(key.isEmpty() ? defaultKey : key, site.where(), site.method()),
                element(text("element", annotation.element(), site), asked, site),
                cost(text("cost", annotation.cost(), site), asked, site),
                policy(text("onStoreFailure", annotation.onStoreFailure(), site), site),
                condition(text("condition", annotation.condition(), site), site),
                settling(annotation, asked, site));
    }

    private List<Limit> limits(RateLimited annotation, AnnotatedMethod site, Map<String, Limit> publicLimits) {
        List<Limit> asked = new ArrayList<>();
        for (String name : annotation.value()) {
            asked.add(named(text("value", name, site), site));
        }
        inline.find(annotation, site, (name, text) -> text(name, text, site)).ifPresent(limit -> {
            asked.add(limit);
            if (limit.name().equals(site.limitName())) {
                publicLimits.put(limit.name(), renamed(limit, site.publicName()));
            }
        });
        return asked.isEmpty() ? List.of(named("default", site)) : asked;
    }

    private static Limit renamed(Limit limit, String name) {
        return new Limit(name, limit.algorithm(), limit.quota(), limit.lease(), limit.shards());
    }

    private Limit named(String name, AnnotatedMethod site) {
        try {
            return limits.get(name);
        } catch (IllegalArgumentException unknown) {
            throw new InvalidRateLimitException(MessageCode.LIMIT_UNKNOWN, site.where(), unknown.getMessage(), unknown);
        }
    }

    private @Nullable Element element(String text, List<Limit> asked, AnnotatedMethod site) {
        Element element =
                text.isEmpty() ? null : new Element(keys.parse(text, site.where(), site.method()), site.where());
        Element.check(element, asked, site.where());
        return element;
    }

    private Cost cost(String cost, List<Limit> asked, AnnotatedMethod site) {
        if (cost.isEmpty() || InlineLimits.isWholeNumber(cost)) {
            long fixed = cost.isEmpty() ? 1 : Long.parseLong(cost);
            Rule.checkFits(fixed, asked, site.where());
            return Cost.fixed(fixed, site.where());
        }
        SpelExpression expression = expressions.parse(cost, site.where(), site.method());
        if (expression.getAST() instanceof Literal) {
            throw new InvalidRateLimitException(
                    MessageCode.COST_INVALID,
                    site.where(),
                    "cost '%s' is not a whole number: write one, or an expression such as #items.size()"
                            .formatted(cost));
        }
        ExpressionCheck.checkBareWord(expression.getAST(), site.method().getDeclaringClass(), cost, site.where());
        return Cost.of(expression, site.where());
    }

    private Settling settling(RateLimited annotation, List<Limit> asked, AnnotatedMethod site) {
        String count = text("count", annotation.count(), site);
        if (!count.isEmpty() && !count.equalsIgnoreCase("failures") && !count.equalsIgnoreCase("all")) {
            throw new InvalidRateLimitException(
                    MessageCode.SETTING_INVALID,
                    site.where(),
                    "count '%s' is unknown: use failures, or leave it out".formatted(count));
        }
        boolean onlyFailures = count.equalsIgnoreCase("failures");
        String actualCost = text("actualCost", annotation.actualCost(), site);
        if (onlyFailures || !actualCost.isEmpty()) {
            Settling.checkCorrectsOneOf(asked, site.where());
        }
        return new Settling(actualCost.isEmpty() ? null : actualCost(actualCost, site), onlyFailures);
    }

    private ActualCost actualCost(String actualCost, AnnotatedMethod site) {
        SpelExpression expression = expressions.parseAtEnd(actualCost, site.where(), site.method());
        if (expression.getAST() instanceof Literal) {
            throw new InvalidRateLimitException(
                    MessageCode.COST_INVALID,
                    site.where(),
                    "actualCost '%s' is the same for every call: write an expression such as #result.size()"
                            .formatted(actualCost));
        }
        ExpressionCheck.checkBareWord(expression.getAST(), site.method().getDeclaringClass(), actualCost, site.where());
        return ActualCost.of(expression, site.where());
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

    /** A condition that fails holds: bad input does not get past a limit. */
    private Predicate<Call> condition(String condition, AnnotatedMethod site) {
        if (condition.isEmpty()) {
            return call -> true;
        }
        SpelExpression expression = expressions.parse(condition, site.where(), site.method());
        ExpressionCheck.checkCondition(expression.getAST(), site.method().getDeclaringClass(), condition, site.where());
        return new Condition(expression, site.where());
    }

    private String text(String attribute, String text, AnnotatedMethod site) {
        try {
            String resolved = placeholders.resolveStringValue(text);
            return resolved == null ? "" : resolved.trim();
        } catch (PlaceholderResolutionException unresolved) {
            String placeholder = unresolved.getPlaceholder();
            throw new InvalidRateLimitException(
                    MessageCode.PLACEHOLDER_UNRESOLVED,
                    site.where(),
                    ("%s '%s' names the placeholder '%s', for which there is no property: set %s, or write a default as in"
                                    + " ${%s:VALUE}")
                            .formatted(attribute, text, placeholder, placeholder, placeholder),
                    unresolved);
        }
    }
}
