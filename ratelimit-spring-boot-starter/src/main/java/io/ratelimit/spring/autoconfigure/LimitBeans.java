package io.ratelimit.spring.autoconfigure;

import io.ratelimit.Limit;
import io.ratelimit.spring.Limits;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.RuntimeBeanReference;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Makes every configured limit injectable: {@code @Qualifier("login") Limit login}. The bean's own name is longer, so
 * that a limit and a bean of the application may be named alike. The definitions name a method rather than hold a
 * lambda, so that ahead-of-time processing can write them.
 */
final class LimitBeans implements ImportBeanDefinitionRegistrar, EnvironmentAware {

    private ConfigurableEnvironment environment = new StandardEnvironment();

    @Override
    public void setEnvironment(Environment environment) {
        this.environment = (ConfigurableEnvironment) environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
        WrittenNames.check(environment);
        names().forEach(name -> registry.registerBeanDefinition("rateLimiter.limits." + name, definition(name)));
    }

    /** Called by the container. */
    static Limit limit(Limits limits, String name) {
        return limits.get(name);
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

    private static RootBeanDefinition definition(String name) {
        RootBeanDefinition definition = new RootBeanDefinition(LimitBeans.class);
        definition.setTargetType(Limit.class);
        definition.setFactoryMethodName("limit");
        definition.setLazyInit(true);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, new RuntimeBeanReference(Limits.class));
        definition.getConstructorArgumentValues().addIndexedArgumentValue(1, name);
        definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
        return definition;
    }
}
