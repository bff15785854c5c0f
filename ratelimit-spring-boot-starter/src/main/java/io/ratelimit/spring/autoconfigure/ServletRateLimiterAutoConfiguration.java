package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.RateLimiterStackCustomizer;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.servlet.MvcPatterns;
import io.ratelimit.spring.internal.servlet.RateLimitExceptionResolver;
import io.ratelimit.spring.internal.servlet.RefusalWriter;
import io.ratelimit.spring.internal.servlet.RequestThreads;
import io.ratelimit.spring.internal.servlet.ServerThreadInterceptor;
import io.ratelimit.spring.internal.servlet.ServletCurrentRequest;
import io.ratelimit.spring.internal.web.MappedHandlers;
import io.ratelimit.spring.internal.web.RateLimitHeaders;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.handler.MappedInterceptor;

/** Servlet applications: the answer to what annotated methods refuse. */
@AutoConfiguration(after = RateLimiterAutoConfiguration.class)
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(DispatcherServlet.class)
@Import({RouteBeans.class, ServletRouteFilters.class})
public final class ServletRateLimiterAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    CurrentRequest rateLimiterCurrentRequest(RateLimitHeaders headers, ClientAddresses addresses) {
        return new ServletCurrentRequest(headers, addresses);
    }

    @Bean
    MappedInterceptor rateLimiterServerThread() {
        return new MappedInterceptor(null, new ServerThreadInterceptor());
    }

    /** Leaves half of the server's threads to requests that do not wait for quota, unless configured. */
    @Bean
    RateLimiterStackCustomizer rateLimiterWaitingThreads(RateLimiterProperties properties, Environment environment) {
        Integer most = properties.maxWaitingThreads();
        return stack ->
                stack.waitingThreads(most == null ? halfOfTheServers(environment) : most, RequestThreads::isOne);
    }

    private static int halfOfTheServers(Environment environment) {
        ClassLoader classes = ServletRateLimiterAutoConfiguration.class.getClassLoader();
        return Math.max(1, RequestThreads.most(environment, name -> ClassUtils.isPresent(name, classes)) / 2);
    }

    @Bean(autowireCandidate = false) // an application may inject the one that it has
    RateLimitExceptionResolver rateLimiterRefusalResolver(ApplicationContext context, RefusalWriter refusals) {
        return RateLimitExceptionResolver.first(context, refusals);
    }

    @Bean(autowireCandidate = false) // an application may inject the one that it has
    RateLimitExceptionResolver rateLimiterLastRefusalResolver(RefusalWriter refusals) {
        return RateLimitExceptionResolver.last(refusals);
    }

    /** For explanations alone. */
    @Bean
    @Lazy
    MappedHandlers rateLimiterMappedHandlers(ApplicationContext context) {
        return new MappedHandlers(() -> MvcPatterns.mappings(context));
    }

    @Bean
    RefusalWriter rateLimiterRefusalWriter(
            ApplicationContext context, ClientAddresses addresses, RateLimitHeaders headers) {
        return new RefusalWriter(context, addresses, headers);
    }
}
