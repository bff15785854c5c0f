package io.ratelimit.spring.internal.method;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.rule.Rule;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.Pointcut;
import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.CannotLoadBeanClassException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Checks at the end of the start that every annotation takes effect, and stops the start if one does not. Thread-safe.
 *
 * <p>Registers a post-processor before all others, so that it knows the beans that Spring makes too early for the advice.
 * Objects that Spring did not make, such as the mocks of a test, are not checked.
 */
public final class LimitedBeans
        implements BeanDefinitionRegistryPostProcessor, BeanPostProcessor, SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beans;
    private final Supplier<LimitedMethodRegistry> methods;
    private final boolean reactive;
    private final SingletonSupplier<List<String>> applicationPackages;
    private final Set<String> made = ConcurrentHashMap.newKeySet();
    private final Set<Class<?>> checkedLate = ConcurrentHashMap.newKeySet();
    private volatile boolean started;

    /**
     * Checks what the registry finds.
     *
     * @param reactive whether the application is a reactive web application
     */
    public LimitedBeans(
            ConfigurableListableBeanFactory beans, Supplier<LimitedMethodRegistry> methods, boolean reactive) {
        this.beans = beans;
        this.methods = methods;
        this.reactive = reactive;
        this.applicationPackages = SingletonSupplier.of(
                () -> AutoConfigurationPackages.has(beans) ? AutoConfigurationPackages.get(beans) : List.of());
    }

    /**
     * Registers a post-processor other than this object, because Spring would warn of every bean if one were registered
     * twice.
     */
    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        Stream.of(registry.getBeanDefinitionNames())
                .filter(beans::containsSingleton) // other post-processors of definitions need them
                .forEach(made::add);
        beans.addBeanPostProcessor(new BeanPostProcessor() {
            @Override
            public Object postProcessBeforeInitialization(Object bean, String name) {
                made.add(name);
                return bean;
            }
        });
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof Advised proxy) {
            AdvicePlacement.place(proxy);
        }
        if (started && beans.containsBeanDefinition(name)) {
            checkLate(bean);
        }
        return bean;
    }

    /** Looks at a bean that is made when it is used: only then is known how it is proxied. Reads no more than it must: that may need the bean. */
    private void checkLate(Object bean) {
        Class<?> annotated = ClassUtils.getUserClass(AopProxyUtils.ultimateTargetClass(bean));
        if (!checkedLate.contains(annotated) && !isSpringsOwn(annotated.getName())) {
            Set<Method> limited = methods.get().annotated(annotated);
            checkHandedOver(bean, limited, annotated);
            if (limited.isEmpty() || AdvicePlacement.isAdvised(bean)) { // and not the proxy of a scope alone
                checkedLate.add(annotated);
            }
        }
    }

    @Override
    public void afterSingletonsInstantiated() {
        started = true;
        for (String name : beans.getBeanDefinitionNames()) {
            if (!beans.getBeanDefinition(name).isAbstract()) {
                check(name);
            }
        }
    }

    /** Looks at the bean of a scope, and not at the proxy that Spring puts in its place. */
    private void check(String name) {
        Object bean = made.contains(name) && !beans.isFactoryBean(name) ? beans.getSingleton(name) : null;
        Class<?> type = bean == null ? type(name) : AopProxyUtils.ultimateTargetClass(bean);
        if (type != null && !isSpringsOwn(type.getName()) && !ScopedObject.class.isAssignableFrom(type)) {
            Class<?> annotated = ClassUtils.getUserClass(type);
            Set<Method> limited = limited(annotated);
            limited.stream().findFirst().ifPresent(method -> check(name, bean, method, annotated));
            checkHandedOver(bean, limited, annotated);
            if (reactive) {
                limited.forEach(method -> checkRequestIsKnown(method, annotated));
            }
        }
    }

    private void checkHandedOver(@Nullable Object bean, Set<Method> limited, Class<?> type) {
        limited.stream()
                .filter(method -> AdvicePlacement.isHandedOver(bean, method, type))
                .forEach(method -> checkEndIsKnown(method, type));
    }

    /** Applications live in packages of that name, too: Spring's own samples do. */
    private boolean isSpringsOwn(String type) {
        return type.startsWith("org.springframework.")
                && applicationPackages.obtain().stream().noneMatch(type::startsWith);
    }

    /** Returns null if the class cannot be loaded: that of a bean that is never used may be missing. */
    private @Nullable Class<?> type(String name) {
        try {
            return beans.getType(name, false);
        } catch (CannotLoadBeanClassException unused) {
            return null;
        }
    }

    private Set<Method> limited(Class<?> type) {
        try {
            return methods.get().readAll(type);
        } catch (IllegalStateException
                | NoClassDefFoundError unused) { // a method of it names a class that is not there
            return Set.of();
        }
    }

    private void check(String name, @Nullable Object bean, Method limited, Class<?> type) {
        String where = new AnnotatedMethod(limited, type, 0).where();
        if (bean == null ? isNeverWrapped(type) : !AdvicePlacement.isAdvised(bean) && !isOpaque(bean)) {
            throw new InvalidRateLimitException(
                    MessageCode.BEAN_NOT_PROXIED,
                    where,
                    ("bean '%s' is never limited, because Spring made it before it could apply the limits to it, or makes"
                                    + " no proxies of its kind: let what needs it so early (a BeanPostProcessor, mostly)"
                                    + " inject an ObjectProvider, or move the annotation to another bean")
                            .formatted(name));
        }
    }

    /** Rejects a method whose end counts, and which has ended for the limits once it is handed over to another thread. */
    private void checkEndIsKnown(Method limited, Class<?> type) {
        LimitedMethod read = methods.get().find(limited, type).orElse(null);
        if (read != null && read.endsLater() && !CompletionStage.class.isAssignableFrom(read.returned())) {
            throw new InvalidRateLimitException(
                    MessageCode.END_NOT_KNOWN,
                    new AnnotatedMethod(limited, type, 0).where(),
                    ("of an @Async method that returns '%s' nobody knows when it ends, which a limit of calls in flight, count"
                                    + " and actualCost need: let it return a CompletableFuture")
                            .formatted(read.returned().getSimpleName()));
        }
    }

    /** In a reactive application the Reactor context carries the request, and only what is subscribed to has one. */
    private void checkRequestIsKnown(Method limited, Class<?> type) {
        LimitedMethod read = methods.get().find(limited, type).orElse(null);
        if (read == null || ReactiveReturn.knowsRequest(limited, read)) {
            return;
        }
        for (Rule rule : read.rules()) {
            if (rule.needsRequest()) {
                throw new InvalidRateLimitException(
                        MessageCode.KEY_NEEDS_REACTIVE_RETURN,
                        new AnnotatedMethod(limited, type, 0).where(),
                        ("key '%s' is of the web request, which in a reactive application only a method knows that returns"
                                        + " a Mono or Flux, or is a suspend function. This one returns '%s': change that, or"
                                        + " name a key of its arguments, or 'global'")
                                .formatted(
                                        rule.key().text(),
                                        limited.getReturnType().getSimpleName()));
            }
        }
    }

    /** As Spring's auto-proxy creator says; by name, because AspectJ is optional. */
    private static boolean isNeverWrapped(Class<?> type) {
        return Stream.of(Advice.class, Pointcut.class, Advisor.class, AopInfrastructureBean.class)
                        .anyMatch(kind -> kind.isAssignableFrom(type))
                || MergedAnnotations.from(type).isPresent("org.aspectj.lang.annotation.Aspect");
    }

    private static boolean isOpaque(Object bean) {
        return bean instanceof SpringProxy && !(bean instanceof Advised);
    }
}
