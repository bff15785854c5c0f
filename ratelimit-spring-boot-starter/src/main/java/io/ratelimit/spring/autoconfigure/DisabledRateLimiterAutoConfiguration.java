package io.ratelimit.spring.autoconfigure;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.Limits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** With {@code rate-limiter.enabled: false}, the beans that applications inject exist and admit everything. */
@AutoConfiguration
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", havingValue = "false")
@EnableConfigurationProperties(RateLimiterProperties.class)
@Import(LimitBeans.class)
public final class DisabledRateLimiterAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Limits rateLimiterConfiguredLimits(RateLimiterProperties properties) {
        return ConfiguredLimits.of(properties);
    }

    @Bean
    @ConditionalOnMissingBean
    RateLimiter rateLimiterAdmittingAll() {
        return new AdmittingRateLimiter();
    }

    /** Replaces the one that the starter defines if it is enabled. Shows no limits. */
    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    CurrentRequest rateLimiterCurrentRequest() {
        return CurrentRequest.none();
    }

    /** Admits everything and counts nothing. The bean that applications get while {@code rate-limiter.enabled} is false. */
    static final class AdmittingRateLimiter implements RateLimiter {

        @Override
        public CompletionStage<Decision> acquireAsync(Acquisition acquisition) {
            return CompletableFuture.completedFuture(Decision.unanswered(acquisition.times()));
        }

        @Override
        public CompletionStage<Decision> peekAsync(Acquisition acquisition) {
            return CompletableFuture.completedFuture(Decision.unanswered(acquisition.times()));
        }

        @Override
        public CompletionStage<Void> settleAsync(Acquisition acquisition, Decision decision, long... actual) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> resetAsync(Limit limit, String subject) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> banAsync(Limit limit, String subject) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Void> unbanAsync(Limit limit, String subject) {
            return CompletableFuture.completedFuture(null);
        }
    }
}
