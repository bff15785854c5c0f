package io.ratelimit.spring.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import io.ratelimit.DecisionListener;
import io.ratelimit.LimitProvider;
import io.ratelimit.RateLimiter;
import io.ratelimit.StoreListener;
import io.ratelimit.internal.Listeners;
import io.ratelimit.spring.HeaderFamily;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RateLimiterStackCustomizer;
import io.ratelimit.spring.internal.LibraryVersion;
import io.ratelimit.spring.internal.client.Remotes;
import io.ratelimit.spring.internal.live.Overrides;
import io.ratelimit.spring.internal.method.LimitedMethodRegistry;
import io.ratelimit.spring.internal.operate.ObservedDecisions;
import io.ratelimit.spring.internal.redis.RedisStore;
import io.ratelimit.spring.internal.rule.AccessList;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.CallLimiter.Unresolved;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.LimitsUser;
import io.ratelimit.spring.internal.rule.LiveRoutes;
import io.ratelimit.spring.internal.rule.RuleFactory;
import io.ratelimit.spring.internal.rule.SubjectKeyParser;
import io.ratelimit.spring.internal.web.RateLimitHeaders;
import io.ratelimit.stack.RateLimiterStack;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/** The limits, the {@link RateLimiter} that decides them, and what keys and headers need. */
@AutoConfiguration(after = RedisRateLimiterAutoConfiguration.class)
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(RateLimiterProperties.class)
@Import(LimitBeans.class)
@ImportRuntimeHints(RateLimiterRuntimeHints.class)
public final class RateLimiterAutoConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(RateLimiterAutoConfiguration.class);

    @Bean
    @ConditionalOnMissingBean
    Limits rateLimiterConfiguredLimits(RateLimiterProperties properties, LiveLimits live) {
        live.replaceBy(ConfiguredLimits.of(properties));
        return new Limits(live::get);
    }

    @Bean
    LiveLimits rateLimiterLiveLimits() {
        return new LiveLimits();
    }

    @Bean
    ConfigurationRefresh rateLimiterRefresh(
            ApplicationContext context,
            RateLimiterProperties properties,
            ObjectProvider<ConfiguredRules> rules,
            LiveLimits live,
            ObjectProvider<Limits> limits,
            ObjectProvider<LiveRoutes> routes,
            ObjectProvider<LimitedMethodRegistry> methods,
            ObjectProvider<LimitsUser> users,
            ObjectProvider<Remotes> remotes) {
        return new ConfigurationRefresh(
                (ConfigurableApplicationContext) context,
                properties,
                rules,
                live,
                limits,
                routes,
                methods,
                users,
                remotes);
    }

    /** Lets Spring Boot bind the properties only after their values are checked. */
    @Bean
    static BeanFactoryPostProcessor rateLimiterPropertiesAreCheckedFirst() {
        return beans -> {
            String properties =
                    "rate-limiter-" + RateLimiterProperties.class.getName(); // as Spring Boot names the bean
            if (beans.containsBeanDefinition(properties)) {
                beans.getBeanDefinition(properties).setDependsOn("rateLimiterWrittenValues");
            }
        };
    }

    @Bean
    WrittenValues rateLimiterWrittenValues(Environment environment) {
        return new WrittenValues(environment);
    }

    @Bean
    @Lazy
    ConfiguredStack rateLimiterConfiguredStack(
            RateLimiterProperties properties,
            ObjectProvider<DecisionListener> listeners,
            ObjectProvider<StoreListener> storeListeners,
            ObjectProvider<RateLimiterStackCustomizer> customizers,
            Overrides overrides,
            ObjectProvider<LimitProvider> provider) {
        return new ConfiguredStack(properties, listeners, storeListeners, customizers, overrides, provider);
    }

    @Bean
    @Lazy
    Overrides rateLimiterOverrides(ApplicationEventPublisher publisher) {
        return new Overrides(publisher);
    }

    /** With report-only, nothing is refused. */
    @Bean
    @ConditionalOnProperty(prefix = "rate-limiter", name = "report-only", havingValue = "false", matchIfMissing = true)
    DecisionListener rateLimiterRefusalEvents(ApplicationEventPublisher publisher) {
        return new RefusalEvents(publisher);
    }

    /** Spring itself needs the library of observations, so that it is always there. */
    @Bean
    @ConditionalOnProperty(prefix = "rate-limiter", name = "observations")
    RateLimiterStackCustomizer rateLimiterObservations(ObjectProvider<ObservationRegistry> registries) {
        ObservationRegistry registry = registries.getIfUnique();
        if (registry == null) {
            throw new InvalidRateLimitException(
                    MessageCode.OBSERVATION_REGISTRY_MISSING,
                    "rate-limiter.observations",
                    "'true' needs one ObservationRegistry bean: add the dependency"
                            + " org.springframework.boot:spring-boot-starter-actuator, or leave it out");
        }
        return stack -> stack.listener(new ObservedDecisions(registry));
    }

    /** Made for what limits: routes, annotated methods, beans of the application. */
    @Bean
    @Lazy
    @ConditionalOnMissingBean(RateLimiter.class)
    RateLimiterStack rateLimiterStackOfStore(
            ConfiguredStack stack,
            ObjectProvider<RedisStore> redis,
            ConfigurableListableBeanFactory beans,
            Environment environment) {
        RedisStore store = redis.getIfAvailable();
        if (store != null) {
            LOG.info(LibraryVersion.behind("Rate limits are counted in Redis, shared by all instances"));
            return store.limiter();
        }
        return stack.inMemory(beans, environment);
    }

    @Bean
    @Lazy
    CallLimiter rateLimiterCalls(RateLimiter limiter, ObjectProvider<Unresolved.Listener> listeners) {
        Listeners<Unresolved.Listener> all =
                new Listeners<>(listeners.orderedStream().toList());
        return new CallLimiter(limiter, (limit, reason) -> all.each(listener -> listener.onUnresolved(limit, reason)));
    }

    @Bean
    RateLimitHeaders rateLimiterResponseHeaders(RateLimiterProperties properties) {
        if (properties.headers().isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.SETTING_INVALID,
                    "rate-limiter.headers",
                    "'' names no family: use ietf, x-ratelimit, or none to write no headers");
        }
        if (properties.headers().contains(HeaderFamily.NONE)
                && properties.headers().size() > 1) {
            throw new InvalidRateLimitException(
                    MessageCode.SETTING_INVALID,
                    "rate-limiter.headers",
                    "'none' stands alone: leave it out, or leave out the others");
        }
        return new RateLimitHeaders(
                properties.headers(),
                properties.spreadPercent(),
                () -> ThreadLocalRandom.current().nextDouble());
    }

    @Bean
    ClientAddresses rateLimiterClientAddresses(RateLimiterProperties properties) {
        return new ClientAddresses(
                properties.trustedProxies(), properties.clientAddressHeader(), properties.ipv6PrefixLength());
    }

    @Bean
    @Lazy
    Expressions rateLimiterKeyExpressions(ListableBeanFactory beanFactory) {
        return new Expressions(beanFactory);
    }

    @Bean
    @Lazy
    SubjectKeyParser rateLimiterSubjectKeys(ListableBeanFactory beanFactory, Expressions expressions) {
        return new SubjectKeyParser(beanFactory, expressions);
    }

    /** Made only for routes or annotations: without them, limits of an application's own need not be those of properties. */
    @Bean
    @Lazy
    RuleFactory rateLimiterRules(
            RateLimiterProperties properties, Limits limits, ConfiguredRules rules, ObjectProvider<RedisStore> redis) {
        redis.ifAvailable(RedisStore::begin);
        return rules.of(properties, limits);
    }

    /** Made as late as the rules themselves. */
    @Bean
    @Lazy
    ConfiguredRules rateLimiterConfiguredRules(
            SubjectKeyParser keys,
            Expressions expressions,
            ObjectProvider<AccessList.Listener> listeners,
            ObjectProvider<LimitProvider> provider) {
        return new ConfiguredRules(keys, expressions, listeners, provider);
    }
}
