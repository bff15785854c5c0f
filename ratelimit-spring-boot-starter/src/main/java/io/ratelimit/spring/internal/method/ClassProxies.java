package io.ratelimit.spring.internal.method;

import java.lang.reflect.Modifier;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.framework.autoproxy.ProxyCreationContext;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Lets proxies of limited beans be subclasses, so that the beans are still injected by their class, also where Spring would
 * proxy them by their interfaces. Leaves all other beans to what the application has configured. Thread-safe.
 */
public final class ClassProxies {

    private final ConfigurableListableBeanFactory beans;
    private final boolean wanted;

    /** @param wanted false if the application configures proxies by interface */
    public ClassProxies(ConfigurableListableBeanFactory beans, boolean wanted) {
        this.beans = beans;
        this.wanted = wanted;
    }

    /** Whether the proxy of a limited bean of this class is a subclass, where it could also implement interfaces. */
    boolean isSubclassOf(Class<?> type) {
        return canBeSubclassOf(type)
                || beans.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME, ProxyConfig.class)
                        .isProxyTargetClass();
    }

    /** Called while Spring's auto-proxy creator looks for the advice of a bean, before it chooses the kind of proxy. */
    void request(Class<?> type) {
        String bean = ProxyCreationContext.getCurrentProxiedBeanName();
        if (bean != null && canBeSubclassOf(type) && beans.containsBeanDefinition(bean)) {
            beans.getBeanDefinition(bean).setAttribute(AutoProxyUtils.PRESERVE_TARGET_CLASS_ATTRIBUTE, true);
        }
    }

    private boolean canBeSubclassOf(Class<?> type) {
        return wanted && !Modifier.isFinal(type.getModifiers());
    }
}
