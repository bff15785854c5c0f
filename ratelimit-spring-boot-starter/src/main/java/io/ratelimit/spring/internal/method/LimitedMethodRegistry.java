package io.ratelimit.spring.internal.method;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.internal.LateBean;
import io.ratelimit.spring.internal.rule.Rule;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.springframework.aop.ClassFilter;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.framework.autoproxy.ProxyCreationContext;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;

/**
 * Finds the annotations that apply to a method. Looks for them when a bean is made, and reads what is in them later, at
 * the first call or at the end of the start: reading may need other beans, and one of those may be annotated itself.
 * Thread-safe.
 */
public final class LimitedMethodRegistry {

    private volatile Supplier<AnnotationReader> reader;
    private final ClassProxies proxies;
    private final ClassFilter candidates = new CandidateClasses();
    private final Map<MethodClassKey, Optional<Found>> methods = new ConcurrentHashMap<>();
    private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();

    /**
     * Creates a registry.
     *
     * @param proxies how limited beans are proxied
     */
    public LimitedMethodRegistry(Supplier<AnnotationReader> reader, ClassProxies proxies) {
        this.reader = reader;
        this.proxies = proxies;
    }

    /** The annotations of a method, and what they declare once that is read. */
    private record Found(List<DeclaredLimit> limits, Method method, Class<?> type, LateBean<LimitedMethod> read) {

        static Found readBy(
                Supplier<AnnotationReader> reader, List<DeclaredLimit> limits, Method method, Class<?> type) {
            return new Found(
                    limits, method, type, new LateBean<>(() -> reader.get().read(limits, method, type)));
        }

        LimitedMethod limited() {
            return read.get();
        }

        Found again(AnnotationReader other) {
            LimitedMethod again = other.read(limits, method, type);
            return new Found(limits, method, type, new LateBean<>(() -> again));
        }
    }

    /** Passes the classes that may have limited methods. */
    ClassFilter candidates() {
        return candidates;
    }

    /** True if the method is to be advised; the bean's proxy can then be injected by its class. */
    boolean isLimited(Method method, Class<?> type) {
        boolean limited = declared(method, type).isPresent();
        if (limited) {
            proxies.request(type);
        }
        return limited;
    }

    /**
     * Returns what the annotations of a method declare; empty if it has none.
     *
     * @throws InvalidRateLimitException if they cannot work
     */
    public Optional<LimitedMethod> find(Method method, Class<?> type) {
        return declared(method, type).map(Found::limited);
    }

    /**
     * Reads all annotations of a class.
     *
     * @return the methods that are limited
     * @throws InvalidRateLimitException if one of them cannot work
     */
    Set<Method> readAll(Class<?> type) {
        Set<Method> limited = annotated(type);
        limited.forEach(method -> find(method, type));
        return limited;
    }

    /** Returns the methods of a class that are limited, and reads no annotation. */
    Set<Method> annotated(Class<?> type) {
        return candidates.matches(type)
                ? MethodIntrospector.selectMethods(
                        type, (Method method) -> declared(method, type).isPresent())
                : Set.of();
    }

    /** Returns the rules of the annotated methods found so far, by class and method; those of lazy beans may be missing. */
    public Map<String, List<Rule>> rules() {
        return rules(found -> true);
    }

    /** Returns the same of the methods of this name of a class or interface, also those of beans that extend or implement it. */
    public Map<String, List<Rule>> rules(Class<?> type, String method) {
        return rules(found -> found.method().getName().equals(method) && type.isAssignableFrom(found.type()));
    }

    private Map<String, List<Rule>> rules(Predicate<Found> which) {
        Map<String, List<Rule>> rules = new TreeMap<>();
        methods.values().stream()
                .flatMap(Optional::stream)
                .filter(which)
                .map(Found::limited)
                .forEach(limited -> rules.put(limited.name(), limited.rules()));
        return rules;
    }

    /** True if one of the annotated methods found so far counts by this key. */
    public boolean use(String key) {
        return rules().values().stream()
                .flatMap(List::stream)
                .anyMatch(rule -> rule.key().text().equals(key));
    }

    /**
     * Reads the annotations of all methods again, and returns what puts that in force.
     *
     * @throws InvalidRateLimitException if one of them cannot work any more
     */
    public Runnable prepare(AnnotationReader other) {
        Map<MethodClassKey, Optional<Found>> again = new HashMap<>();
        methods.forEach((key, found) -> again.put(key, found.map(limits -> limits.again(other))));
        return () -> {
            reader = () -> other;
            methods.replaceAll((key, found) -> again.getOrDefault(key, found.map(this::unread)));
        };
    }

    /** Returns a method that was found meanwhile as one that is not read yet. */
    private Found unread(Found found) {
        return unread(found.limits(), found.method(), found.type());
    }

    private Found unread(List<DeclaredLimit> limits, Method method, Class<?> type) {
        return Found.readBy(() -> reader.get(), limits, method, type);
    }

    private Optional<Found> declared(Method method, Class<?> type) {
        MethodClassKey key = new MethodClassKey(method, type);
        Optional<Found> known = methods.get(key);
        if (known == null) {
            Class<?> written = ClassUtils.getUserClass(type);
            if (!checked.contains(written)) {
                UnproxyableMethods.check(written, () -> proxies.isSubclassOf(written));
                checked.add(written); // what fails is checked again when the next bean of the class is made
            }
            Method specific = AopUtils.getMostSpecificMethod(method, type);
            List<DeclaredLimit> limits = DeclaredLimit.of(specific, type);
            known = limits.isEmpty() ? Optional.empty() : Optional.of(unread(limits, specific, type));
            methods.put(key, known);
        }
        return known;
    }

    /**
     * Lets proxies of limited beans be subclasses, so that the beans are still injected by their class, also where Spring would
     * proxy them by their interfaces. Leaves all other beans to what the application has configured. Thread-safe.
     */
    public static final class ClassProxies {

        private final ConfigurableListableBeanFactory beans;
        private final boolean wanted;

        /** @param wanted false if the application configures proxies by interface */
        public ClassProxies(ConfigurableListableBeanFactory beans, boolean wanted) {
            this.beans = beans;
            this.wanted = wanted;
        }

        /** True if the proxy of a limited bean of this class is a subclass, where it could also implement interfaces. */
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
}
