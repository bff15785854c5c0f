package io.ratelimit.spring.internal;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

/** The beans of the auto-configurations of this library. */
public final class OwnBeans {

    private static final String AUTO_CONFIGURATIONS = "io.ratelimit.spring.autoconfigure";

    private OwnBeans() {}

    /** Returns whether an auto-configuration of this library defines the bean of that name. */
    public static boolean contain(ConfigurableListableBeanFactory beans, String name) {
        return beans.containsBeanDefinition(name)
                && beans.getMergedBeanDefinition(name) instanceof RootBeanDefinition definition
                && definition.getResolvedFactoryMethod() != null
                && definition
                        .getResolvedFactoryMethod()
                        .getDeclaringClass()
                        .getPackageName()
                        .startsWith(AUTO_CONFIGURATIONS);
    }
}
