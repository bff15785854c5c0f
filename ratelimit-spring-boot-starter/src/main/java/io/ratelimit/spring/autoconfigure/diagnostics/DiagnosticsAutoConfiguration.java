package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.autoconfigure.RateLimitedAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import io.ratelimit.spring.autoconfigure.diagnostics.Diagnostics.Diagnosis;
import io.ratelimit.spring.internal.method.LimitedMethodRegistry;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.internal.web.ManagementEndpoints;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/** Checks at the start for settings that are valid each by itself, but wrong together. */
@AutoConfiguration(after = {RateLimiterAutoConfiguration.class, RateLimitedAutoConfiguration.class})
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
public final class DiagnosticsAutoConfiguration {

    @Bean
    Diagnostics rateLimiterNameDiagnostics(
            ConfigurableEnvironment environment, RateLimiterProperties properties, Limits limits) {
        return new Diagnostics(
                () -> true,
                () -> List.of(new Diagnosis(
                        MessageCode.VARIABLE_MISNAMED,
                        () -> SettingMistakes.misnamedVariables(environment, properties, limits))));
    }

    @Bean
    Diagnostics rateLimiterStartDiagnostics(
            RateLimiterProperties properties,
            Limits limits,
            ObjectProvider<Routes> routes,
            ObjectProvider<LimitedMethodRegistry> methods,
            ConfigurableListableBeanFactory beans,
            Environment environment) {
        return new Diagnostics(
                () -> isLimited(beans),
                () -> List.of(
                        new Diagnosis(
                                MessageCode.COUNTS_APART,
                                new CountsApart(properties, () -> limiter(beans), environment)::findings),
                        new Diagnosis(
                                MessageCode.LIMIT_UNUSED,
                                new UnusedLimits(properties, limits, methods, beans)::findings),
                        new Diagnosis(
                                MessageCode.HEALTH_FOLLOWS_REDIS,
                                new HealthOfLimits(properties, () -> limiter(beans), beans)::findings),
                        new Diagnosis(MessageCode.PLAN_OF_CLIENT, new ClientPlans(routes, methods)::findings)));
    }

    /** True if a limiter is made: it is if any property is written or any method annotated. */
    private static boolean isLimited(ConfigurableListableBeanFactory beans) {
        return Stream.of(beans.getBeanNamesForType(RateLimiter.class, true, false))
                .anyMatch(beans::containsSingleton);
    }

    /** Returns the limiter that is made; null if there are several. */
    private static @Nullable RateLimiter limiter(ConfigurableListableBeanFactory beans) {
        String[] names = beans.getBeanNamesForType(RateLimiter.class, true, false);
        return names.length == 1 && beans.containsSingleton(names[0])
                ? beans.getBean(names[0], RateLimiter.class)
                : null;
    }

    /** Checks for applications that serve requests. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication
    static class Web {

        @Bean
        Diagnostics rateLimiterWebDiagnostics(
                RateLimiterProperties properties,
                Limits limits,
                ObjectProvider<Routes> routes,
                ApplicationContext context) {
            return new Diagnostics(
                    () -> isLimited(((ConfigurableApplicationContext) context).getBeanFactory()),
                    () -> diagnoses(properties, limits, routes, context));
        }

        private static List<Diagnosis> diagnoses(
                RateLimiterProperties properties,
                Limits limits,
                ObjectProvider<Routes> routes,
                ApplicationContext context) {
            AccessMistakes access = new AccessMistakes(properties);
            Environment environment = context.getEnvironment();
            Supplier<Routes.ManagementPaths> management = ManagementEndpoints.of(context);
            return List.of(
                    new Diagnosis(
                            MessageCode.EVERYBODY_TRUSTED,
                            () -> SettingMistakes.trustInEverybody(properties, environment)),
                    new Diagnosis(MessageCode.EVERYBODY_LISTED, access::everybody),
                    new Diagnosis(MessageCode.PROXY_ALLOWED, access::proxies),
                    new Diagnosis(MessageCode.WEBSOCKET_NOT_IN_FLIGHT, new WebSocketRoutes(context)::findings),
                    new Diagnosis(
                            MessageCode.PATH_NOT_SERVED, () -> SettingMistakes.pathsNotServed(properties, environment)),
                    new Diagnosis(
                            MessageCode.WINDOW_TOO_SHORT_FOR_HEADERS,
                            () -> SettingMistakes.shortWindow(
                                    properties, limits, routes.stream().flatMap(all -> all.routes().stream()))),
                    new Diagnosis(
                            MessageCode.ROUTES_CHARGE_TWICE,
                            new OverlappingRoutes(false, properties, limits, management)::findings),
                    new Diagnosis(
                            MessageCode.ELEMENT_INVALID,
                            new OverlappingRoutes(true, properties, limits, management)::findings));
        }
    }
}
