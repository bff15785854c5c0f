package io.ratelimit.spring.internal.method;

import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.internal.rule.ActualCost;
import io.ratelimit.spring.internal.rule.Cost;
import io.ratelimit.spring.internal.rule.Counted;
import io.ratelimit.spring.internal.rule.ExpressionCheck;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.Rule;
import io.ratelimit.spring.internal.rule.Settling;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Reads from annotations what a call costs, before it and at its end. Thread-safe.
 *
 * @param countedByLimits which calls count for a limit, by its name
 */
record CostReader(AttributeTexts texts, Expressions expressions, Map<String, Counted> countedByLimits) {

    /**
     * Returns what a call is charged.
     *
     * @throws InvalidRateLimitException if that cannot work
     */
    Cost cost(RateLimited annotation, List<Limit> limits, AnnotatedMethod site) {
        String cost = texts.resolve("cost", annotation.cost(), site);
        if (cost.isEmpty()) {
            return Cost.fixed(1, site.where());
        }
        Rule.checkCounted(cost, limits, site.where());
        if (InlineLimits.isWholeNumber(cost)) {
            return fixed(Long.parseLong(cost), limits, site);
        }
        SpelExpression expression = expressions.parse(cost, site.where(), site.method());
        if (ExpressionCheck.isConstant(expression.getAST())) {
            return constant(expression, limits, site);
        }
        ExpressionCheck.checkBareWord(expression.getAST(), site.method().getDeclaringClass(), cost, site.where());
        return Cost.of(expression, site.where());
    }

    /** A number that placeholders and operators make up. */
    private static Cost constant(SpelExpression expression, List<Limit> limits, AnnotatedMethod site) {
        Object value = expression.getValue();
        if (value instanceof Integer || value instanceof Long) {
            return fixed(((Number) value).longValue(), limits, site);
        }
        throw new InvalidRateLimitException(
                MessageCode.COST_INVALID,
                site.where(),
                "cost '%s' is not a whole number: write one, or an expression such as #items.size()"
                        .formatted(expression.getExpressionString()));
    }

    private static Cost fixed(long cost, List<Limit> limits, AnnotatedMethod site) {
        Rule.checkFits(cost, limits, site.where());
        return Cost.fixed(cost, site.where());
    }

    /**
     * Returns how the charge is corrected when the call has ended.
     *
     * @throws InvalidRateLimitException if that cannot work
     */
    Settling settling(RateLimited annotation, List<Limit> limits, AnnotatedMethod site) {
        Counted counted = counted(annotation, site);
        String actualCost = texts.resolve("actualCost", annotation.actualCost(), site);
        if (!actualCost.isEmpty() || (counted != null && !counted.isAll())) {
            Settling.checkCorrectsOneOf(limits, site.where());
        }
        return Settling.of(
                actualCost.isEmpty() ? null : actualCost(actualCost, site), counted, countedByLimits, limits);
    }

    private @Nullable Counted counted(RateLimited annotation, AnnotatedMethod site) {
        List<String> count = Arrays.stream(annotation.count())
                .map(text -> texts.resolve("count", text, site))
                .filter(text -> !text.isEmpty())
                .toList();
        return count.isEmpty() ? null : Counted.parse(count, site.where());
    }

    private ActualCost actualCost(String text, AnnotatedMethod site) {
        SpelExpression expression = expressions.parseAtEnd(text, site.where(), site.method());
        ExpressionCheck.checkBareWord(expression.getAST(), site.method().getDeclaringClass(), text, site.where());
        return ActualCost.of(expression, site.where());
    }
}
