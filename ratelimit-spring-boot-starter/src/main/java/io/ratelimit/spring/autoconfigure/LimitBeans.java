package io.ratelimit.spring.autoconfigure;

import io.ratelimit.Limit;
import io.ratelimit.spring.Limits;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Makes every configured limit injectable: {@code @Qualifier("login") Limit login}. The bean's own name is longer, so
 * that a limit and a bean of the application may be named alike.
 */
final class LimitBeans implements BeanDefinitionRegistryPostProcessor {

    private final Environment environment;

    LimitBeans(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        if (registry instanceof ConfigurableListableBeanFactory beans) {
            names().forEach(name ->
                    registry.registerBeanDefinition("rateLimiter.limits." + name, definition(name, beans)));
        }
    }

    private Set<String> names() {
        Binder binder = Binder.get(environment);
        Set<String> names = new LinkedHashSet<>();
        if (binder.bind("rate-limiter.max-requests", String.class).isBound()) {
            names.add("default");
        }
        binder.bind("rate-limiter.limits", Bindable.mapOf(String.class, Object.class))
                .map(Map::keySet)
                .ifBound(names::addAll);
        return names;
    }

    private static RootBeanDefinition definition(String name, ConfigurableListableBeanFactory beans) {
        RootBeanDefinition definition = new RootBeanDefinition(
                Limit.class, () -> beans.getBean(Limits.class).get(name));
        definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
        return definition;
    }
}
