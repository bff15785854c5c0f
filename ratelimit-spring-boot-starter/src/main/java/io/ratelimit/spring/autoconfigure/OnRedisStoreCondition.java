package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.autoconfigure.RateLimiterProperties.Store;
import java.util.Arrays;
import java.util.List;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.core.type.MethodMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Whether counts live in Redis: because {@code rate-limiter.store} says so or, under {@code auto}, because the
 * application says where Redis is. What Spring Boot configures by default says nothing: it is there in any case.
 */
final class OnRedisStoreCondition extends SpringBootCondition implements ConfigurationCondition {

    private static final List<String> LOCATIONS =
            List.of("host", "port", "url", "sentinel.master", "sentinel.nodes", "cluster.nodes", "masterreplica.nodes");

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Store store = Binder.get(context.getEnvironment())
                .bind("rate-limiter.store", Store.class)
                .orElse(Store.AUTO);
        boolean matches = store == Store.REDIS || (store == Store.AUTO && isNamed(context));
        return new ConditionOutcome(
                matches,
                ConditionMessage.forCondition("rate-limiter.store").because(store + ", Redis is named: " + matches));
    }

    /** Whether any property says where Redis is. */
    static boolean isNamedByProperty(Environment environment) {
        Binder binder = Binder.get(environment);
        return LOCATIONS.stream()
                .anyMatch(location -> binder.bind("spring.data.redis." + location, Bindable.listOf(String.class))
                        .isBound());
    }

    private static boolean isNamed(ConditionContext context) {
        ConfigurableListableBeanFactory beans = context.getBeanFactory();
        return isNamedByProperty(context.getEnvironment())
                || (beans != null && (hasOwnConnectionFactory(beans) || hasConnectionDetails(beans)));
    }

    private static boolean hasOwnConnectionFactory(ConfigurableListableBeanFactory beans) {
        return Arrays.stream(beans.getBeanNamesForType(RedisConnectionFactory.class, true, false))
                .filter(beans::containsBeanDefinition)
                .anyMatch(name -> !isSpringBoots(beans.getBeanDefinition(name)));
    }

    private static boolean isSpringBoots(BeanDefinition definition) {
        MethodMetadata factoryMethod =
                definition instanceof AnnotatedBeanDefinition annotated ? annotated.getFactoryMethodMetadata() : null;
        return factoryMethod != null && factoryMethod.getDeclaringClassName().startsWith("org.springframework.boot.");
    }

    private static boolean hasConnectionDetails(ConfigurableListableBeanFactory beans) {
        return Arrays.stream(beans.getBeanNamesForType(ConnectionDetails.class, true, false))
                .map(name -> beans.getType(name, false))
                .anyMatch(type -> type != null
                        && !type.getSimpleName().startsWith("Properties")
                        && isRedisConnectionDetails(type));
    }

    /** By the end of its name: the interface has another one from Spring Boot 4 on. */
    private static boolean isRedisConnectionDetails(Class<?> type) {
        return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .anyMatch(implemented -> implemented.getSimpleName().endsWith("RedisConnectionDetails"));
    }
}
