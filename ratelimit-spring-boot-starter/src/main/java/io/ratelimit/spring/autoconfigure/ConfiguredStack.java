package io.ratelimit.spring.autoconfigure;

import io.ratelimit.DecisionListener;
import io.ratelimit.StoreListener;
import io.ratelimit.spring.RateLimiterStackCustomizer;
import io.ratelimit.stack.RateLimiterStack;
import io.ratelimit.stack.RateLimiterStackBuilder;
import org.springframework.beans.factory.ObjectProvider;

/** Builds the stack of any store from {@code rate-limiter.*}, listeners and customizers. */
final class ConfiguredStack {

    private final RateLimiterProperties properties;
    private final ObjectProvider<DecisionListener> listeners;
    private final ObjectProvider<StoreListener> storeListeners;
    private final ObjectProvider<RateLimiterStackCustomizer> customizers;

    ConfiguredStack(
            RateLimiterProperties properties,
            ObjectProvider<DecisionListener> listeners,
            ObjectProvider<StoreListener> storeListeners,
            ObjectProvider<RateLimiterStackCustomizer> customizers) {
        this.properties = properties;
        this.listeners = listeners;
        this.storeListeners = storeListeners;
        this.customizers = customizers;
    }

    RateLimiterStack build(RateLimiterStackBuilder stack) {
        stack.keyPrefix(properties.keyPrefix())
                .timeout(properties.timeout())
                .onStoreFailure(properties.onStoreFailure())
                .reportOnly(properties.reportOnly());
        listeners.orderedStream().forEach(stack::listener);
        storeListeners.orderedStream().forEach(stack::storeListener);
        customizers.orderedStream().forEach(customizer -> customizer.customize(stack));
        return stack.build();
    }
}
