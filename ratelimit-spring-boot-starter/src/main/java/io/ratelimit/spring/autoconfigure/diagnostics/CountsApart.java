package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.Store;
import io.ratelimit.stack.RateLimiterStack;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Counts in memory although there are signs of several instances, each of which would admit the whole limit. */
final class CountsApart {

    /** Properties below {@code spring.data.redis} that only an application with a Redis sets. */
    private static final List<String> OF_A_REDIS =
            List.of("host", "port", "url", "username", "password", "database", "sentinel", "cluster", "masterreplica");

    /**
     * The properties by which rate-limiter.store 'auto' chooses Redis. If Redis can be used, that choice has logged its
     * own warning.
     */
    private static final List<String> OF_ITS_PLACE =
            List.of("host", "port", "url", "sentinel", "cluster", "masterreplica");

    private static final boolean CAN_USE_REDIS = Stream.of(
                    "org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
                    "io.lettuce.core.RedisClient")
            .allMatch(type -> ClassUtils.isPresent(type, CountsApart.class.getClassLoader()));

    private final RateLimiterProperties properties;
    private final Supplier<@Nullable RateLimiter> limiter;
    private final Environment environment;

    CountsApart(RateLimiterProperties properties, Supplier<@Nullable RateLimiter> limiter, Environment environment) {
        this.properties = properties;
        this.limiter = limiter;
        this.environment = environment;
    }

    List<String> findings() {
        List<String> signs = new ArrayList<>();
        if (countsInMemory()) {
            platform().ifPresent(platform -> signs.add("the application runs on " + platform));
            redisProperty().ifPresent(property -> signs.add(property + " is set"));
        }
        return signs.isEmpty()
                ? List.of()
                : List.of(
                        ("rate-limiter.store '%s' counts in memory, but %s: every instance admits the whole limit by"
                                        + " itself. Where there are several, set rate-limiter.store to redis and spring.data.redis.host to"
                                        + " where that is%s")
                                .formatted(
                                        properties
                                                .store()
                                                .name()
                                                .toLowerCase(Locale.ROOT)
                                                .replace('_', '-'),
                                        String.join(" and ", signs),
                                        CAN_USE_REDIS
                                                ? ""
                                                : ", and add the dependency org.springframework.boot:spring-boot-starter-data-redis"));
    }

    /** False for a limiter of another library, about which nothing is known. */
    private boolean countsInMemory() {
        RateLimiter made = limiter.get();
        return made instanceof InMemoryRateLimiter || (made instanceof RateLimiterStack stack && !stack.isShared());
    }

    private Optional<String> platform() {
        CloudPlatform platform = CloudPlatform.getActive(environment);
        return platform == CloudPlatform.KUBERNETES || platform == CloudPlatform.CLOUD_FOUNDRY
                ? Optional.of(platform == CloudPlatform.KUBERNETES ? "Kubernetes" : "Cloud Foundry")
                : Optional.empty();
    }

    private Optional<String> redisProperty() {
        Map<String, Object> all = Binder.get(environment)
                .bind("spring.data.redis", Bindable.mapOf(String.class, Object.class))
                .orElseGet(Map::of);
        return OF_A_REDIS.stream()
                .filter(all::containsKey)
                .filter(property -> properties.store() != Store.AUTO
                        || !CAN_USE_REDIS
                        || limiter.get() instanceof InMemoryRateLimiter
                        || !OF_ITS_PLACE.contains(property))
                .findFirst()
                .map("spring.data.redis."::concat);
    }
}
