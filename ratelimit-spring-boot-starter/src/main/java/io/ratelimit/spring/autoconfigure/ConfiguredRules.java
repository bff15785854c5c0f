package io.ratelimit.spring.autoconfigure;

import io.ratelimit.LimitProvider;
import io.ratelimit.internal.Listeners;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.internal.client.Remote;
import io.ratelimit.spring.internal.rule.AccessList;
import io.ratelimit.spring.internal.rule.Expressions;
import io.ratelimit.spring.internal.rule.RuleDefaults;
import io.ratelimit.spring.internal.rule.RuleFactory;
import io.ratelimit.spring.internal.rule.SubjectKeyParser;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;

/** Makes the factory of rules from {@code rate-limiter.*}. */
final class ConfiguredRules {

    private final SubjectKeyParser keys;
    private final Expressions expressions;
    private final Listeners<AccessList.Listener> listeners;
    private final ObjectProvider<LimitProvider> provider;

    ConfiguredRules(
            SubjectKeyParser keys,
            Expressions expressions,
            ObjectProvider<AccessList.Listener> listeners,
            ObjectProvider<LimitProvider> provider) {
        this.keys = keys;
        this.expressions = expressions;
        this.listeners = new Listeners<>(listeners.orderedStream().toList());
        this.provider = provider;
    }

    /** @throws io.ratelimit.spring.InvalidRateLimitException if a setting of all rules cannot work */
    RuleFactory of(RateLimiterProperties properties, Limits limits) {
        return new RuleFactory(
                limits,
                keys,
                expressions,
                new RuleDefaults(
                        properties.key(),
                        properties.plan(),
                        properties.onStoreFailure(),
                        properties.allow(),
                        ConfiguredLimits.counted(properties, limits),
                        ConfiguredLimits.plans(properties, limits),
                        limit -> provider.stream().anyMatch(one -> one.provides(limit))),
                kind -> listeners.each(listener -> listener.onListed(kind)));
    }

    /**
     * Returns the partners that are configured.
     *
     * @throws io.ratelimit.spring.InvalidRateLimitException if one of them cannot work
     */
    List<Remote> clients(RateLimiterProperties properties, RuleFactory factory) {
        return new ConfiguredClients(factory, keys).remotes(properties.clients());
    }
}
