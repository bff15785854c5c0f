package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.KeyResolver;
import io.ratelimit.spring.RequestView;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** What a native image cannot see: the scripts, what expressions call, and what is reached by reflection. */
final class RateLimiterRuntimeHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("io/ratelimit/redis/*.lua");
        for (Class<?> called : List.of(RequestView.class, KeyResolver.class, LimitBeans.class)) {
            hints.reflection().registerType(called, MemberCategory.INVOKE_DECLARED_METHODS);
        }
        String lettuce = "org.springframework.data.redis.connection.lettuce.";
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader, lettuce + "LettuceConnectionFactory", type -> type.withField("configuration"));
        hints.proxies().registerJdkProxy(TypeReference.of(lettuce + "LettuceClientConfiguration"));
    }
}
