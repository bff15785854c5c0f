package io.ratelimit.spring.aop;

import io.ratelimit.FailurePolicy;
import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.key.Call;
import io.ratelimit.spring.key.Expressions;
import io.ratelimit.spring.key.SubjectKeyParser;
import io.ratelimit.spring.rule.Condition;
import io.ratelimit.spring.rule.Cost;
import io.ratelimit.spring.rule.LimitDefinition;
import io.ratelimit.spring.rule.Rule;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.expression.spel.ast.Literal;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.util.StringValueResolver;

/** Makes rules of annotations, and says what is wrong with them. Thread-safe. */
public final class AnnotationReader {

    private static final Pattern WHOLE_NUMBER = Pattern.compile("[+-]?\\d{1,18}");

    private final Limits limits;
    private final SubjectKeyParser keys;
    private final Expressions expressions;
    private final StringValueResolver placeholders;
    private final String defaultKey;
    private final FailurePolicy defaultPolicy;

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
    }

    /**
     * What the annotations of a method come to.
     *
     * @throws InvalidRateLimitException if they cannot work
     */
    LimitedMethod read(List<RateLimited> annotations, Method method, Class<?> type) {
        List<Rule> rules = new ArrayList<>();
        Method fallback = null;
        for (RateLimited annotation : annotations) {
            AnnotatedMethod site = new AnnotatedMethod(method, type, rules.size());
            rules.add(rule(annotation, site));
            String fallbackName = text(annotation.fallbackMethod());
            if (fallback == null && !fallbackName.isEmpty()) {
                fallback = FallbackMethodFinder.find(fallbackName, method, type, site.where());
            }
        }
        return new LimitedMethod(rules, fallback);
    }

    private Rule rule(RateLimited annotation, AnnotatedMethod site) {
        List<Limit> asked = limits(annotation, site);
        String key = text(annotation.key());
        return new Rule(
                asked,
                keys.parse(key.isEmpty() ? defaultKey : key, site.where(), site.method()),
                cost(text(annotation.cost()), asked, site),
                policy(text(annotation.onStoreFailure()), site),
                condition(text(annotation.condition()), site));
    }

    private List<Limit> limits(RateLimited annotation, AnnotatedMethod site) {
        List<Limit> asked = new ArrayList<>();
        for (String name : annotation.value()) {
            asked.add(named(text(name), site));
        }
        LimitDefinition inline = new LimitDefinition(
                site.where(),
                site.limitName(),
                orNull(text(annotation.algorithm())),
                number("maxRequests", text(annotation.maxRequests()), site),
                duration(text(annotation.windowSize()), site),
                number("burst", text(annotation.burst()), site),
                null,
                null);
        if (inline.isPresent()) {
            asked.add(inline.limit());
        }
        return asked.isEmpty() ? List.of(named("default", site)) : asked;
    }

    private Limit named(String name, AnnotatedMethod site) {
        try {
            return limits.get(name);
        } catch (IllegalArgumentException unknown) {
            throw new InvalidRateLimitException(site.where(), unknown.getMessage(), unknown);
        }
    }

    private Cost cost(String cost, List<Limit> asked, AnnotatedMethod site) {
        if (cost.isEmpty() || WHOLE_NUMBER.matcher(cost).matches()) {
            long fixed = cost.isEmpty() ? 1 : Long.parseLong(cost);
            Rule.checkFits(fixed, asked, site.where());
            return Cost.fixed(fixed, site.where());
        }
        SpelExpression expression = expressions.parse(cost, site.where(), site.method());
        if (expression.getAST() instanceof Literal) {
            throw new InvalidRateLimitException(
                    site.where(),
                    "cost '%s' is no whole number: write one, or an expression such as #items.size()".formatted(cost));
        }
        return Cost.of(expression);
    }

    private FailurePolicy policy(String policy, AnnotatedMethod site) {
        if (policy.isEmpty()) {
            return defaultPolicy;
        }
        return Arrays.stream(FailurePolicy.values())
                .filter(known -> known.name().toLowerCase(Locale.ROOT).equals(policy.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new InvalidRateLimitException(
                        site.where(), "onStoreFailure '%s' is unknown: use local, open or closed".formatted(policy)));
    }

    /** A condition that fails holds: bad input does not get past a limit. */
    private Predicate<Call> condition(String condition, AnnotatedMethod site) {
        if (condition.isEmpty()) {
            return call -> true;
        }
        SpelExpression expression = expressions.parse(condition, site.where(), site.method());
        return new Condition(expression);
    }

    private static @Nullable Long number(String attribute, String text, AnnotatedMethod site) {
        if (text.isEmpty()) {
            return null;
        }
        if (!WHOLE_NUMBER.matcher(text).matches()) {
            throw new InvalidRateLimitException(site.where(), "%s '%s' is no whole number".formatted(attribute, text));
        }
        return Long.valueOf(text);
    }

    private static @Nullable Duration duration(String text, AnnotatedMethod site) {
        if (text.isEmpty()) {
            return null;
        }
        try {
            return DurationStyle.detectAndParse(text, ChronoUnit.SECONDS);
        } catch (IllegalArgumentException unparsable) {
            throw new InvalidRateLimitException(
                    site.where(),
                    "windowSize '%s' is no time: write it as 500ms, 60s or 24h".formatted(text),
                    unparsable);
        }
    }

    private String text(String attribute) {
        String resolved = placeholders.resolveStringValue(attribute);
        return resolved == null ? "" : resolved.trim();
    }

    private static @Nullable String orNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
