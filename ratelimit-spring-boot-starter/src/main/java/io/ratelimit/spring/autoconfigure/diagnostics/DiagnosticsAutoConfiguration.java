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
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;

/** Checks at the start for settings that are valid each by itself, but wrong together. */
@AutoConfiguration(after = {RateLimiterAutoConfiguration.class, RateLimitedAutoConfiguration.class})
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
public final class DiagnosticsAutoConfiguration {

    @Bean
    Diagnostics rateLimiterStartDiagnostics(ObjectProvider<Diagnosis> diagnoses) {
        return new Diagnostics(diagnoses);
    }

    @Bean
    Diagnosis rateLimiterCountsApart(
            RateLimiterProperties properties, ConfigurableListableBeanFactory beans, Environment environment) {
        return new Diagnosis(
                MessageCode.COUNTS_APART, new CountsApart(properties, () -> limiter(beans), environment)::findings);
    }

    @Bean
    Diagnosis rateLimiterMisnamedVariables(ConfigurableEnvironment environment, Limits limits) {
        return new Diagnosis(
                MessageCode.VARIABLE_MISNAMED, () -> SettingMistakes.misnamedVariables(environment, limits));
    }

    @Bean
    Diagnosis rateLimiterUnusedLimits(
            RateLimiterProperties properties,
            Limits limits,
            ObjectProvider<LimitedMethodRegistry> methods,
            ConfigurableListableBeanFactory beans) {
        return new Diagnosis(MessageCode.LIMIT_UNUSED, new UnusedLimits(properties, limits, methods, beans)::findings);
    }

    @Bean
    Diagnosis rateLimiterHealthOfLimits(RateLimiterProperties properties, ConfigurableListableBeanFactory beans) {
        return new Diagnosis(
                MessageCode.HEALTH_FOLLOWS_REDIS,
                new HealthOfLimits(properties, () -> limiter(beans), beans)::findings);
    }

    @Bean
    Diagnosis rateLimiterClientPlans(ObjectProvider<Routes> routes, ObjectProvider<LimitedMethodRegistry> methods) {
        return new Diagnosis(MessageCode.PLAN_OF_CLIENT, new ClientPlans(routes, methods)::findings);
    }

    /** Returns the limiter; null if there is none, several, or if nothing has needed it. */
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
        Diagnosis rateLimiterTrustInEverybody(RateLimiterProperties properties, Environment environment) {
            return new Diagnosis(
                    MessageCode.EVERYBODY_TRUSTED, () -> SettingMistakes.trustInEverybody(properties, environment));
        }

        @Bean
        Diagnosis rateLimiterEverybodyListed(RateLimiterProperties properties) {
            return new Diagnosis(MessageCode.EVERYBODY_LISTED, new AccessMistakes(properties)::everybody);
        }

        @Bean
        Diagnosis rateLimiterProxiesAllowed(RateLimiterProperties properties) {
            return new Diagnosis(MessageCode.PROXY_ALLOWED, new AccessMistakes(properties)::proxies);
        }

        @Bean
        Diagnosis rateLimiterWebSockets(ApplicationContext context) {
            return new Diagnosis(MessageCode.WEBSOCKET_NOT_IN_FLIGHT, new WebSocketRoutes(context)::findings);
        }

        @Bean
        Diagnosis rateLimiterRepeatedContextPath(RateLimiterProperties properties, Environment environment) {
            return new Diagnosis(
                    MessageCode.CONTEXT_PATH_REPEATED,
                    () -> SettingMistakes.repeatedContextPath(properties, environment));
        }

        @Bean
        Diagnosis rateLimiterShortWindow(
                RateLimiterProperties properties, Limits limits, ObjectProvider<Routes> routes) {
            return new Diagnosis(
                    MessageCode.WINDOW_TOO_SHORT_FOR_HEADERS,
                    () -> SettingMistakes.shortWindow(
                            properties, limits, routes.stream().flatMap(all -> all.routes().stream())));
        }

        @Bean
        Diagnosis rateLimiterChargedTwice(RateLimiterProperties properties, Limits limits, ApplicationContext context) {
            return new Diagnosis(
                    MessageCode.ROUTES_CHARGE_TWICE,
                    new OverlappingRoutes(false, properties, limits, ManagementEndpoints.of(context))::findings);
        }

        @Bean
        Diagnosis rateLimiterTwoElements(RateLimiterProperties properties, Limits limits, ApplicationContext context) {
            return new Diagnosis(
                    MessageCode.ELEMENT_INVALID,
                    new OverlappingRoutes(true, properties, limits, ManagementEndpoints.of(context))::findings);
        }
    }
}
