package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.internal.BeanOrigin;
import java.util.Arrays;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Finds out if the application says where Redis is: by a property, a connection factory or connection details of its own.
 * What Spring Boot configures by default does not count, because it always exists. This is evaluated when the
 * application runs instead of by a condition, because ahead-of-time processing decides conditions at build time.
 */
final class RedisLocation {

    private static final List<String> PROPERTIES =
            List.of("host", "port", "url", "sentinel.master", "sentinel.nodes", "cluster.nodes", "masterreplica.nodes");

    private static final List<String> JEDIS_CUSTOMIZERS =
            List.of(
                    "org.springframework.boot.autoconfigure.data.redis.JedisClientConfigurationBuilderCustomizer", // Spring Boot 3
                    "org.springframework.boot.data.redis.autoconfigure.JedisClientConfigurationBuilderCustomizer"); // Spring Boot 4

    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;

    RedisLocation(ConfigurableListableBeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    boolean isNamed() {
        return isNamedByProperty() || hasOwnConnectionFactory() || hasConnectionDetails();
    }

    /**
     * True if all TLS is that of {@code spring.data.redis.ssl.enabled}. Spring Boot gives Jedis a socket factory for that, which looks
     * like that of a bundle or a customizer.
     */
    boolean hasPlainTls() {
        return environment.getProperty("spring.data.redis.ssl.enabled", Boolean.class, false)
                && environment.getProperty("spring.data.redis.ssl.bundle", "").isEmpty()
                && !hasOwnConnectionFactory()
                && !hasConnectionDetails()
                && !hasJedisCustomizer();
    }

    private boolean isNamedByProperty() {
        Binder binder = Binder.get(environment);
        return PROPERTIES.stream()
                .anyMatch(location -> binder.bind("spring.data.redis." + location, Bindable.listOf(String.class))
                        .isBound());
    }

    private boolean hasOwnConnectionFactory() {
        return Arrays.stream(beans.getBeanNamesForType(RedisConnectionFactory.class, true, false))
                .anyMatch(name -> !BeanOrigin.isSpringBoots(beans, name));
    }

    private boolean hasConnectionDetails() {
        return Arrays.stream(beans.getBeanNamesForType(ConnectionDetails.class, true, false))
                .map(name -> beans.getType(name, false))
                .anyMatch(type -> type != null
                        && !type.getSimpleName().startsWith("Properties")
                        && isRedisConnectionDetails(type));
    }

    private boolean hasJedisCustomizer() {
        return JEDIS_CUSTOMIZERS.stream()
                .filter(name -> ClassUtils.isPresent(name, beans.getBeanClassLoader()))
                .map(name -> ClassUtils.resolveClassName(name, beans.getBeanClassLoader()))
                .anyMatch(type -> beans.getBeanNamesForType(type, true, false).length > 0);
    }

    /** Compares the end of the name, because the interface has another one from Spring Boot 4 on. */
    private static boolean isRedisConnectionDetails(Class<?> type) {
        return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .anyMatch(implemented -> implemented.getSimpleName().endsWith("RedisConnectionDetails"));
    }
}
