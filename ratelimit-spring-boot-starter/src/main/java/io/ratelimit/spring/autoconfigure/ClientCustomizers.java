package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.client.LimitedFeign;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Registers a customizer for each kind of HTTP client that Spring Boot builds, and a capability for those of Feign. The interfaces
 * of the customizers have other packages in Spring Boot 4 than in 3, so they are found by name, and made by {@link ClientCustomizer}.
 */
final class ClientCustomizers implements ImportBeanDefinitionRegistrar, EnvironmentAware {

    /** The names that an interface has had, by the name of the customizer's bean. */
    static final Map<String, List<String>> INTERFACES = Map.of(
            "rateLimiterRestClients",
            List.of(
                    "org.springframework.boot.restclient.RestClientCustomizer",
                    "org.springframework.boot.web.client.RestClientCustomizer"),
            "rateLimiterRestTemplates",
            List.of(
                    "org.springframework.boot.restclient.RestTemplateCustomizer",
                    "org.springframework.boot.web.client.RestTemplateCustomizer"),
            "rateLimiterWebClients",
            List.of(
                    "org.springframework.boot.webclient.WebClientCustomizer",
                    "org.springframework.boot.web.reactive.function.client.WebClientCustomizer"));

    private static final String WEB_CLIENT = "org.springframework.web.reactive.function.client.WebClient";
    private static final String REST_CLIENT = "org.springframework.web.client.RestClient";
    private static final String FEIGN = "feign.Capability";

    private Environment environment = new StandardEnvironment();

    @Override
    public void setEnvironment(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
        if (Binder.get(environment)
                .bind("rate-limiter.clients", Bindable.mapOf(String.class, Object.class))
                .orElse(Map.of())
                .isEmpty()) {
            return;
        }
        ClassLoader loader = ClassUtils.getDefaultClassLoader();
        List<String> found = INTERFACES.entrySet().stream()
                .filter(bean -> register(bean.getKey(), bean.getValue(), loader, registry))
                .map(Map.Entry::getKey)
                .toList();
        boolean isFeignThere = ClassUtils.isPresent(FEIGN, loader);
        if (isFeignThere) {
            registry.registerBeanDefinition("rateLimiterFeignClients", Feign.definition());
        }
        if (found.isEmpty() && !isFeignThere) {
            throw new InvalidRateLimitException(
                    MessageCode.CLIENTS_WITHOUT_CUSTOMIZERS,
                    "rate-limiter.clients",
                    "applies to no client, because Spring Boot's builder of none is on the class path: add spring-boot-starter-restclient or spring-boot-starter-webclient, of Spring Boot 3 spring-boot-starter-web or -webflux, or Feign, or leave it out");
        }
    }

    private static boolean register(
            String bean, List<String> names, @Nullable ClassLoader loader, BeanDefinitionRegistry registry) {
        boolean isReactive = bean.equals("rateLimiterWebClients");
        Optional<Class<?>> type = names.stream()
                .filter(name -> ClassUtils.isPresent(isReactive ? WEB_CLIENT : REST_CLIENT, loader))
                .filter(name -> ClassUtils.isPresent(name, loader))
                .<Class<?>>map(name -> ClassUtils.resolveClassName(name, loader))
                .findFirst();
        type.ifPresent(found -> registry.registerBeanDefinition(bean, definition(found, isReactive)));
        return type.isPresent();
    }

    private static RootBeanDefinition definition(Class<?> type, boolean isReactive) {
        RootBeanDefinition definition = new RootBeanDefinition(ClientCustomizer.class);
        definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, type);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, type);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(1, isReactive);
        definition.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
        return definition;
    }

    /** A class of its own, because Feign is optional. */
    private static final class Feign {

        private Feign() {}

        static RootBeanDefinition definition() {
            RootBeanDefinition definition = new RootBeanDefinition(LimitedFeign.class);
            definition.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
            return definition;
        }
    }
}
