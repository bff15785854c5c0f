package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.KeyResolver;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.RequestView;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Names for native images the scripts, what expressions call, and what is reached by reflection. */
final class RateLimiterRuntimeHints implements RuntimeHintsRegistrar {

    private static final List<String> SCRIPTS =
            List.of("io/ratelimit/internal/redis/*.lua", "io/ratelimit/spring/internal/redis/*.lua");

    /**
     * The classes of strong keys and values, one for each set of options, that the Caffeine inside the core's jar finds
     * by name. There are none where the core's classes stand beside the library itself, as in its own build.
     */
    private static final List<String> CACHES = List.of("SS*", "PS*");

    /** Called by reflection, because Spring Boot 4 moved it. */
    private static final List<String> ERROR_VIEWS = List.of(
            "org.springframework.boot.autoconfigure.web.servlet.error.ErrorViewResolver",
            "org.springframework.boot.webmvc.autoconfigure.error.ErrorViewResolver");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        SCRIPTS.forEach(hints.resources()::registerPattern);
        hints.resources().registerPattern("META-INF/ratelimit/errors/*.md");
        for (Class<?> called : List.of(RequestView.class, KeyResolver.class, RateLimited.class, LimitBeans.class)) {
            hints.reflection().registerType(called, MemberCategory.INVOKE_DECLARED_METHODS);
        }
        ERROR_VIEWS.forEach(name ->
                hints.reflection().registerTypeIfPresent(classLoader, name, MemberCategory.INVOKE_DECLARED_METHODS));
        String lettuce = "org.springframework.data.redis.connection.lettuce.";
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader, lettuce + "LettuceConnectionFactory", type -> type.withField("configuration"));
        hints.proxies().registerJdkProxy(TypeReference.of(lettuce + "LettuceClientConfiguration"));
        ClientCustomizers.INTERFACES.values().stream()
                .flatMap(List::stream)
                .filter(name -> ClassUtils.isPresent(name, classLoader))
                .forEach(name -> hints.proxies().registerJdkProxy(TypeReference.of(name)));
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader,
                        "io.ratelimit.spring.internal.client.LimitedFeign",
                        MemberCategory.INVOKE_PUBLIC_METHODS);
        CACHES.forEach(name -> registerCaches(name, hints, classLoader));
    }

    private static void registerCaches(String name, RuntimeHints hints, @Nullable ClassLoader classLoader) {
        String caches = "io/ratelimit/internal/shaded/caffeine/cache/";
        try {
            for (Resource cache : new PathMatchingResourcePatternResolver(classLoader)
                    .getResources("classpath*:" + caches + name + ".class")) {
                String type = caches.replace('/', '.') + StringUtils.stripFilenameExtension(cache.getFilename());
                hints.reflection().registerType(TypeReference.of(type), MemberCategory.DECLARED_FIELDS);
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException("the classes in '%s' cannot be listed".formatted(caches), unreadable);
        }
    }
}
