package io.ratelimit.test;

import io.ratelimit.spring.internal.method.LimitedMethodRegistry;
import io.ratelimit.spring.internal.rule.RouteLimiter;
import io.ratelimit.spring.internal.rule.Routes.Route;
import io.ratelimit.spring.internal.rule.Rule;
import java.util.List;
import org.springframework.context.ApplicationContext;
import org.springframework.http.server.PathContainer;
import org.springframework.util.Assert;
import org.springframework.util.ClassUtils;

/**
 * Assertions about what an application limits, as it is configured. Nothing is called or charged.
 *
 * <pre>{@code
 * assertThatRequest(context, "POST", "/login")
 *         .isLimitedTo(10, Duration.ofMinutes(1)).by("ip").failsClosed();
 * assertThatMethod(context, Reports.class, "export").isLimitedBy("exports");
 * assertThatRequest(context, "GET", "/health").isNotLimited();
 * }</pre>
 */
public final class RateLimitAssertions {

    private RateLimitAssertions() {}

    /**
     * Starts assertions about the routes that match a request. Annotations on the method that handles it are asserted
     * by {@link #assertThatMethod}.
     *
     * @param path the path without the query, such as {@code /orders/17}
     */
    public static RateLimitRulesAssert assertThatRequest(ApplicationContext context, String method, String path) {
        List<Rule> rules = context.getBeanProvider(RouteLimiter.class).stream()
                .flatMap(routes -> routes.matching(method, List.of(PathContainer.parsePath(path))).stream())
                .map(Route.Match::route)
                .filter(route -> !route.isGuard())
                .flatMap(route -> route.rules().stream())
                .toList();
        return new RateLimitRulesAssert(method + " " + path, rules);
    }

    /**
     * Starts assertions about the annotations that apply to a method, of all overloads if there are several.
     *
     * @param type a class of beans, or a class or interface that beans extend or implement
     * @throws IllegalArgumentException if the class has no method of that name
     */
    public static RateLimitRulesAssert assertThatMethod(ApplicationContext context, Class<?> type, String method) {
        Assert.isTrue(
                ClassUtils.hasAtLeastOneMethodWithName(type, method),
                () -> "class '%s' has no method '%s': name one that it has".formatted(type.getName(), method));
        context.getBeanProvider(type).stream()
                .forEach(found -> {}); // annotations of a lazy bean are found when it is made
        List<Rule> rules = context.getBean(LimitedMethodRegistry.class).rules(type, method).values().stream()
                .flatMap(List::stream)
                .toList();
        return new RateLimitRulesAssert(type.getSimpleName() + "." + method, rules);
    }
}
