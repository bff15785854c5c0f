package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.internal.LateBean;
import io.ratelimit.spring.internal.method.AnnotationReader;
import io.ratelimit.spring.internal.method.LimitedBeans;
import io.ratelimit.spring.internal.method.LimitedMethodRegistry;
import io.ratelimit.spring.internal.method.LimitedMethodRegistry.ClassProxies;
import io.ratelimit.spring.internal.method.RateLimitedAdvisor;
import io.ratelimit.spring.internal.rule.CallLimiter;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.RuleFactory;
import io.ratelimit.spring.internal.rule.SubjectKeyParser;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** {@link io.ratelimit.spring.RateLimited} on beans. */
@AutoConfiguration(after = RateLimiterAutoConfiguration.class)
@ConditionalOnProperty(prefix = "rate-limiter", name = "enabled", matchIfMissing = true)
@Import(RateLimitedAutoConfiguration.ProxyCreator.class)
public final class RateLimitedAutoConfiguration {

    private static final ConfigurationPropertyName ALL = ConfigurationPropertyName.of("rate-limiter");

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LimitedMethodRegistry rateLimiterLimitedMethods(
            ConfigurableListableBeanFactory beanFactory, Environment environment, ObjectProvider<RuleFactory> rules) {
        LateBean<AnnotationReader> reader =
                new LateBean<>(() -> new AnnotationReader(rules.getObject(), beanFactory::resolveEmbeddedValue));
        boolean byClass = environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
        return new LimitedMethodRegistry(reader, new ClassProxies(beanFactory, byClass));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RateLimitedAdvisor rateLimiterAnnotationAdvisor(
            LimitedMethodRegistry methods,
            Environment environment,
            ObjectProvider<Expressions> expressions,
            ObjectProvider<CallLimiter> limiter,
            ObjectProvider<CurrentRequest> currentRequest) {
        RateLimitedAdvisor advisor = new RateLimitedAdvisor(
                methods,
                limiter::getObject,
                expressions::getObject,
                () -> currentRequest.getIfAvailable(CurrentRequest::none));
        // read alone, because the advisor is made before the properties are bound
        advisor.setOrder(WrittenValues.read(environment, "rate-limiter.order", Integer.class)
                .orElse(RateLimitedAdvisor.DEFAULT_ORDER));
        return advisor;
    }

    @Bean
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LimitedBeans rateLimiterReactiveBeans(
            ConfigurableListableBeanFactory beanFactory, ObjectProvider<LimitedMethodRegistry> methods) {
        return new LimitedBeans(beanFactory, methods::getObject, true);
    }

    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LimitedBeans rateLimiterLimitedBeans(
            ConfigurableListableBeanFactory beanFactory, ObjectProvider<LimitedMethodRegistry> methods) {
        return new LimitedBeans(beanFactory, methods::getObject, false);
    }

    /** After {@link LimitedBeans}, which has read all annotations by then. Makes the limiter unless nothing is written of limits. */
    @Bean
    SmartInitializingSingleton rateLimiterReadyMethods(
            RateLimiterProperties properties,
            ObjectProvider<SubjectKeyParser> keys,
            LimitedMethodRegistry methods,
            ObjectProvider<CallLimiter> limiter,
            Environment environment) {
        return () -> {
            if (WrittenValues.areAt(environment, ALL) || !methods.rules().isEmpty()) {
                limiter.getObject();
                if (!methods.use(properties.key())) {
                    keys.getObject().parse(properties.key(), "rate-limiter.key", null);
                }
            }
        };
    }

    /** Without AspectJ, or with {@code spring.aop.auto} off, nothing else may have registered one. */
    static final class ProxyCreator implements ImportBeanDefinitionRegistrar {

        @Override
        public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }
}
