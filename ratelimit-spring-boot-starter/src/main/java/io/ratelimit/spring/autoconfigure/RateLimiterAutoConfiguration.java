package io.ratelimit.spring.autoconfigure;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.decorator.CircuitBreakingRateLimiter;
import io.ratelimit.decorator.DeadlineRateLimiter;
import io.ratelimit.decorator.DenialCachingRateLimiter;
import io.ratelimit.decorator.FailurePolicyRateLimiter;
import io.ratelimit.decorator.LeasingRateLimiter;
import io.ratelimit.decorator.ReportOnlyRateLimiter;
import io.ratelimit.decorator.ShardingRateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.http.HeaderFamily;
import io.ratelimit.spring.http.RateLimitHeaders;
import io.ratelimit.spring.key.ClientAddresses;
import io.ratelimit.spring.key.Expressions;
import io.ratelimit.spring.key.SubjectKeys;
import io.ratelimit.spring.redis.RedisStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The limits, the {@link RateLimiter} that decides them, and what keys and headers need. */
@AutoConfiguration(after = RedisRateLimiterAutoConfiguration.class)
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(RateLimiterProperties.class)
public final class RateLimiterAutoConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(RateLimiterAutoConfiguration.class);

    @Bean
    @ConditionalOnMissingBean
    Limits rateLimiterLimits(RateLimiterProperties properties) {
        return ConfiguredLimits.of(properties);
    }

    @Bean
    static LimitBeans rateLimiterLimitBeans(Environment environment) {
        return new LimitBeans(environment);
    }

    /** The whole stack, outermost last. */
    @Bean
    @ConditionalOnMissingBean
    RateLimiter rateLimiter(RateLimiterProperties properties, ObjectProvider<RedisStore> redis) {
        RateLimiter limiter = store(properties, redis.getIfAvailable());
        return properties.reportOnly() ? new ReportOnlyRateLimiter(limiter) : limiter;
    }

    private static RateLimiter store(RateLimiterProperties properties, @Nullable RedisStore redis) {
        if (redis != null) {
            LOG.info("Rate limits are counted in Redis, shared by all instances");
            RateLimiter unlessItFails = new CircuitBreakingRateLimiter(redis.limiter());
            RateLimiter sharded = new ShardingRateLimiter(new DenialCachingRateLimiter(unlessItFails));
            RateLimiter leased = redis.closedFirst(new LeasingRateLimiter(sharded));
            RateLimiter always = new FailurePolicyRateLimiter(
                    new DeadlineRateLimiter(leased, properties.timeout()),
                    ready(InMemoryRateLimiter.create()),
                    properties.onStoreFailure());
            return new DenialCachingRateLimiter(always);
        }
        if (properties.store() == RateLimiterProperties.Store.REDIS) {
            throw new InvalidRateLimitException(
                    "rate-limiter.store", "'redis' needs Lettuce and Spring Data Redis: put them on the class path");
        }
        LOG.info("Rate limits are counted in memory, by each instance for itself: spring.data.redis.host shares them");
        return InMemoryRateLimiter.create();
    }

    /** Loads what decides in memory: the first call of the first outage would otherwise wait for that, too. */
    private static RateLimiter ready(RateLimiter local) {
        local.peek(Acquisition.of(Limit.of("ready", Algorithm.FIXED_WINDOW, 1, Duration.ofSeconds(1)), "nobody"));
        return local;
    }

    @Bean
    @ConditionalOnMissingBean
    RateLimitHeaders rateLimitHeaders(RateLimiterProperties properties) {
        if (properties.headers().contains(HeaderFamily.NONE)
                && properties.headers().size() > 1) {
            throw new InvalidRateLimitException(
                    "rate-limiter.headers", "'none' stands alone: leave it out, or leave out the others");
        }
        return new RateLimitHeaders(properties.headers());
    }

    @Bean
    @ConditionalOnMissingBean
    ClientAddresses rateLimiterClientAddresses(RateLimiterProperties properties) {
        return new ClientAddresses(properties.trustedProxies());
    }

    @Bean
    @ConditionalOnMissingBean
    Expressions rateLimiterExpressions(ListableBeanFactory beanFactory) {
        return new Expressions(beanFactory);
    }

    @Bean
    @ConditionalOnMissingBean
    SubjectKeys rateLimiterSubjectKeys(ListableBeanFactory beanFactory, Expressions expressions) {
        return new SubjectKeys(beanFactory, expressions);
    }
}
