package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import io.ratelimit.spring.internal.method.AnnotationReader;
import io.ratelimit.spring.internal.method.LimitedMethodRegistry;
import io.ratelimit.spring.internal.rule.LimitsUser;
import io.ratelimit.spring.internal.rule.LiveRoutes;
import io.ratelimit.spring.internal.rule.RuleFactory;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.handler.IgnoreTopLevelConverterNotFoundBindHandler;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Reads limits, plans, routes, lists and annotations again when Spring Cloud has changed the environment. What cannot work
 * leaves all that was read before in force. Knows the event by its name, because applications need not have Spring Cloud.
 */
final class ConfigurationRefresh implements SmartInitializingSingleton {

    private static final String EVENT = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

    private static final Logger LOG = LoggerFactory.getLogger(ConfigurationRefresh.class);

    /** Settings that are read again; all others belong to beans that are made once. */
    private static final Set<String> FOLLOWED = Set.of(
            "useAlgo",
            "maxRequests",
            "windowSize",
            "burst",
            "lease",
            "shards",
            "ban",
            "count",
            "plans",
            "plan",
            "key",
            "allow",
            "deny",
            "limits",
            "routes",
            "onStoreFailure"); // of routes and annotations

    private final ConfigurableApplicationContext context;
    private final ConfigurableEnvironment environment;
    private final ObjectProvider<ConfiguredRules> rules;
    private final LiveLimits live;
    private final ObjectProvider<Limits> limits;
    private final ObjectProvider<LiveRoutes> routes;
    private final ObjectProvider<LimitedMethodRegistry> methods;
    private final ObjectProvider<LimitsUser> users;
    private final Warning invalid = new Warning(MessageCode.REFRESH_INVALID);
    private final Warning notFollowed = new Warning(MessageCode.REFRESH_NOT_FOLLOWED);
    private RateLimiterProperties inForce;

    ConfigurationRefresh(
            ConfigurableApplicationContext context,
            RateLimiterProperties properties,
            ObjectProvider<ConfiguredRules> rules,
            LiveLimits live,
            ObjectProvider<Limits> limits,
            ObjectProvider<LiveRoutes> routes,
            ObjectProvider<LimitedMethodRegistry> methods,
            ObjectProvider<LimitsUser> users) {
        this.context = context;
        this.environment = context.getEnvironment();
        this.inForce = properties;
        this.rules = rules;
        this.live = live;
        this.limits = limits;
        this.routes = routes;
        this.methods = methods;
        this.users = users;
    }

    /** Listens only where Spring Cloud is, and only now, because a bean that listens is made before all others. */
    @Override
    public void afterSingletonsInstantiated() {
        if (ClassUtils.isPresent(EVENT, context.getClassLoader())) {
            context.addApplicationListener(new Listener());
        }
    }

    private final class Listener implements GenericApplicationListener {

        @Override
        public boolean supportsEventType(ResolvableType type) {
            return type.toClass().getName().equals(EVENT);
        }

        @Override
        public void onApplicationEvent(ApplicationEvent changed) {
            refresh();
        }
    }

    private synchronized void refresh() {
        try {
            RateLimiterProperties read = read();
            follow(read);
            if (!read.equals(inForce)) {
                LOG.info(
                        "The configuration has changed: limits {} and routes {} are in force",
                        read.limits().keySet(),
                        read.routes().keySet());
                reportRest(read);
            }
            inForce = read;
        } catch (RuntimeException failed) {
            invalid.log(
                    "The changed configuration cannot work, so that what was read before stays in force: {}",
                    why(failed));
        }
    }

    /** Reads and checks everything before the first part of it is put in force. */
    private void follow(RateLimiterProperties read) {
        Limits fresh = live.isUsed() ? ConfiguredLimits.of(read) : limits.getObject();
        RuleFactory factory = rules.getObject().of(read, fresh);
        rules.getObject().checkClients(read, factory);
        users.forEach(user -> user.check(fresh));
        List<Runnable> changes = new ArrayList<>();
        routes.ifAvailable(known -> changes.add(known.prepare(
                new ConfiguredRoutes(read, factory).routes(known.written().management()))));
        methods.ifAvailable(known -> changes.add(
                known.prepare(new AnnotationReader(factory, context.getBeanFactory()::resolveEmbeddedValue))));
        if (live.isUsed()) {
            changes.add(() -> live.replaceBy(fresh));
        }
        changes.forEach(Runnable::run);
    }

    private RateLimiterProperties read() {
        WrittenNames.check(environment);
        new WrittenValues(environment);
        return Binder.get(environment)
                .bindOrCreate(
                        "rate-limiter",
                        Bindable.of(RateLimiterProperties.class),
                        new NoUnboundElementsBindHandler(
                                new IgnoreTopLevelConverterNotFoundBindHandler(), new UnboundElementsSourceFilter()));
    }

    private void reportRest(RateLimiterProperties read) {
        List<String> changed = Arrays.stream(RateLimiterProperties.class.getRecordComponents())
                .filter(setting -> !FOLLOWED.contains(setting.getName()))
                .filter(setting -> !Objects.equals(value(setting, read), value(setting, inForce)))
                .map(setting -> DataObjectPropertyName.toDashedForm(setting.getName()))
                .toList();
        boolean unserved = routes.stream().findAny().isEmpty()
                && !(read.routes().isEmpty() && read.deny().isEmpty());
        if (!changed.isEmpty() || unserved) {
            notFollowed.log(
                    "These settings have changed, and hold from the next start on: {}",
                    unserved
                            ? Stream.concat(changed.stream(), Stream.of("routes, because there were none"))
                                    .toList()
                            : changed);
        }
    }

    private static Object value(RecordComponent setting, RateLimiterProperties properties) {
        return String.valueOf(ReflectionUtils.invokeMethod(setting.getAccessor(), properties));
    }

    /** Returns what a start would print. */
    private String why(RuntimeException failed) {
        return Stream.of(new InvalidRateLimitFailureAnalyzer(environment), new UnknownPropertyFailureAnalyzer())
                .map(analyzer -> analyzer.analyze(failed))
                .filter(Objects::nonNull)
                .findFirst()
                .map(FailureAnalysis::getDescription)
                .orElseGet(() -> String.valueOf(failed.getMessage()));
    }
}
