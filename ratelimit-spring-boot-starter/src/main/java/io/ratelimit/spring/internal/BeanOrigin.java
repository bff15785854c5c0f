package io.ratelimit.spring.internal;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** Who defines a bean: this library, Spring Boot, or the application. */
public final class BeanOrigin {

    private BeanOrigin() {}

    /** Returns whether an auto-configuration of this library defines the bean of that name. */
    public static boolean isOurs(ConfigurableListableBeanFactory beans, String name) {
        return isDefinedBelow("io.ratelimit.spring.autoconfigure.", beans, name);
    }

    /** Returns whether Spring Boot defines the bean of that name. */
    public static boolean isSpringBoots(ConfigurableListableBeanFactory beans, String name) {
        return isDefinedBelow("org.springframework.boot.", beans, name);
    }

    private static boolean isDefinedBelow(String packages, ConfigurableListableBeanFactory beans, String name) {
        return beans.containsBeanDefinition(name)
                && beans.getMergedBeanDefinition(name) instanceof RootBeanDefinition definition
                && definition.getResolvedFactoryMethod() != null
                && definition
                        .getResolvedFactoryMethod()
                        .getDeclaringClass()
                        .getName()
                        .startsWith(packages);
    }
}
