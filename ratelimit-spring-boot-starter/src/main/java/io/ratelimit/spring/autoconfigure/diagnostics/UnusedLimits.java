package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.Limit;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import io.ratelimit.spring.internal.BeanOrigin;
import io.ratelimit.spring.internal.method.LimitedMethodRegistry;
import io.ratelimit.spring.internal.rule.Rule;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Configured limits that nothing uses, mostly because a name is spelt in two ways, and plans that nothing names. */
final class UnusedLimits {

    private static final String OF_GATEWAY = "namedLimits";

    private final RateLimiterProperties properties;
    private final Limits limits;
    private final ObjectProvider<LimitedMethodRegistry> methods;
    private final ConfigurableListableBeanFactory beans;

    UnusedLimits(
            RateLimiterProperties properties,
            Limits limits,
            ObjectProvider<LimitedMethodRegistry> methods,
            ConfigurableListableBeanFactory beans) {
        this.properties = properties;
        this.limits = limits;
        this.methods = methods;
        this.beans = beans;
    }

    List<String> findings() {
        return Stream.concat(limitsOfNobody().stream(), plansOfNobody()).toList();
    }

    private List<String> limitsOfNobody() {
        if (areLookedUp()) {
            return List.of();
        }
        Set<String> used = new HashSet<>();
        methods.ifAvailable(annotated -> annotated.rules().values().forEach(rules -> addLimits(rules, used)));
        properties.routes().values().forEach(route -> {
            used.addAll(route.limits());
            route.levels().forEach(level -> used.addAll(level.limits()));
        });
        properties.clients().values().forEach(client -> used.addAll(client.limits()));
        addInjected(used);
        return limits.names().stream()
                .filter(name -> !used.contains(name))
                .sorted()
                .map(UnusedLimits::finding)
                .toList();
    }

    /** A plan is named by routes and annotations alone. */
    private Stream<String> plansOfNobody() {
        if (properties.plan() != null) {
            return Stream.empty();
        }
        Set<String> planned = new HashSet<>();
        methods.ifAvailable(annotated -> annotated.rules().values().stream()
                .flatMap(List::stream)
                .filter(rule -> rule.charged().plan() != null)
                .forEach(rule -> addLimits(List.of(rule), planned)));
        properties.routes().values().forEach(route -> {
            if (route.plan() != null) {
                planned.addAll(route.limits());
            }
            route.levels().stream()
                    .filter(level -> level.plan() != null || route.plan() != null)
                    .forEach(level -> planned.addAll(level.limits()));
        });
        Stream<String> ofLimits = properties.limits().entrySet().stream()
                .filter(limit -> !limit.getValue().plans().isEmpty() && !planned.contains(limit.getKey()))
                .map(limit -> "limits." + limit.getKey() + ".");
        Stream<String> ofRoutes = properties.routes().entrySet().stream()
                .filter(route ->
                        !route.getValue().plans().isEmpty() && route.getValue().plan() == null)
                .map(route -> "routes." + route.getKey() + ".");
        boolean isPlanned = !planned.isEmpty()
                || properties.routes().values().stream()
                        .anyMatch(route -> route.plan() != null
                                || route.levels().stream().anyMatch(level -> level.plan() != null));
        Stream<String> ofDefault = isPlanned || properties.plans().isEmpty() ? Stream.empty() : Stream.of("");
        return Stream.of(ofLimits, ofRoutes, ofDefault)
                .flatMap(names -> names)
                .sorted()
                .map(
                        "rate-limiter.%splans defines plans that nothing names: set rate-limiter.plan, or the plan of a route or annotation that uses the limit, or remove them"
                                ::formatted);
    }

    private static void addLimits(List<Rule> rules, Set<String> used) {
        rules.forEach(rule -> rule.limits().forEach(limit -> used.add(limit.name())));
    }

    private static String finding(String name) {
        return name.equals("default")
                ? "rate-limiter.max-requests defines the limit 'default', which no route, annotation or bean uses: put @RateLimited on a method, or add a route with limits: [default], or remove it"
                : "rate-limiter.limits.%s defines the limit '%s', which no route, annotation or bean uses: correct its name, or remove it"
                        .formatted(name, name);
    }

    /** A bean that injects all limits may look up any of them later, as routes of a gateway do. */
    private boolean areLookedUp() {
        return Arrays.stream(beans.getBeanNamesForType(Limits.class, true, false))
                .flatMap(name -> Arrays.stream(beans.getDependentBeans(name)))
                .anyMatch(user -> !BeanOrigin.isOurs(beans, user) || user.equals(OF_GATEWAY));
    }

    /** The bean of a limit is created when it is first injected or looked up. */
    private void addInjected(Set<String> used) {
        for (String bean : beans.getBeanNamesForType(Limit.class, true, false)) {
            if (beans.containsSingleton(bean)) {
                used.add(beans.getBean(bean, Limit.class).name());
            }
        }
    }
}
