package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import io.ratelimit.spring.internal.client.Remote;
import io.ratelimit.spring.internal.client.Remotes;
import io.ratelimit.spring.internal.method.AnnotationReader;
import io.ratelimit.spring.internal.method.LimitedMethodRegistry;
import io.ratelimit.spring.internal.rule.LimitsUser;
import io.ratelimit.spring.internal.rule.LiveRoutes;
import io.ratelimit.spring.internal.rule.RuleFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
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

/**
 * Reads limits, plans, routes, lists, annotations and clients again when Spring Cloud has changed the environment. What cannot work
 * leaves all that was read before in force. Knows the event by its name, because applications need not have Spring Cloud.
 */
final class ConfigurationRefresh implements SmartInitializingSingleton {

    private static final String EVENT = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

    private static final Logger LOG = LoggerFactory.getLogger(ConfigurationRefresh.class);

    private final ConfigurableApplicationContext context;
    private final ConfigurableEnvironment environment;
    private final ObjectProvider<ConfiguredRules> rules;
    private final LiveLimits live;
    private final ObjectProvider<Limits> limits;
    private final ObjectProvider<LiveRoutes> routes;
    private final ObjectProvider<LimitedMethodRegistry> methods;
    private final ObjectProvider<LimitsUser> users;
    private final ObjectProvider<Remotes> remotes;
    private final boolean hasRemotes;
    private final Warning invalid = new Warning(MessageCode.REFRESH_INVALID);
    private final Warning notFollowed = new Warning(MessageCode.REFRESH_NOT_FOLLOWED);
    private final RateLimiterProperties atStart;
    private RateLimiterProperties inForce;

    ConfigurationRefresh(
            ConfigurableApplicationContext context,
            RateLimiterProperties properties,
            ObjectProvider<ConfiguredRules> rules,
            LiveLimits live,
            ObjectProvider<Limits> limits,
            ObjectProvider<LiveRoutes> routes,
            ObjectProvider<LimitedMethodRegistry> methods,
            ObjectProvider<LimitsUser> users,
            ObjectProvider<Remotes> remotes) {
        this.context = context;
        this.environment = context.getEnvironment();
        this.atStart = properties;
        this.inForce = properties;
        this.rules = rules;
        this.live = live;
        this.limits = limits;
        this.routes = routes;
        this.methods = methods;
        this.users = users;
        this.remotes = remotes;
        this.hasRemotes = !properties.clients().isEmpty();
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
                List<String> rest = SettingsNotFollowed.of(
                        atStart, read, routes.stream().findAny().isPresent(), hasRemotes);
                if (!rest.isEmpty()) {
                    notFollowed.log("These settings have changed, and hold from the next start on: {}", rest);
                }
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
        List<Remote> clients = rules.getObject().clients(read, factory);
        users.forEach(user -> user.check(fresh));
        List<Runnable> changes = new ArrayList<>();
        routes.ifAvailable(known -> changes.add(known.prepare(
                new ConfiguredRoutes(read, factory).routes(known.written().management()))));
        methods.ifAvailable(known -> changes.add(
                known.prepare(new AnnotationReader(factory, context.getBeanFactory()::resolveEmbeddedValue))));
        if (hasRemotes) {
            remotes.ifAvailable(known -> changes.add(() -> known.replaceBy(clients)));
        }
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
