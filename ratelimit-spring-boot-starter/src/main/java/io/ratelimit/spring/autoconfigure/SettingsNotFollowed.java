package io.ratelimit.spring.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.util.ReflectionUtils;

/** Finds what has changed in the configuration and does not hold before the next start. */
final class SettingsNotFollowed {

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
            "clients",
            "onStoreFailure"); // of routes and annotations

    private SettingsNotFollowed() {}

    /**
     * Names those settings.
     *
     * @param atStart what was read at the start
     * @param hasRoutes whether there were routes at the start, without which there is no filter
     * @param hasClients whether there were clients at the start, without which no client is customized
     */
    static List<String> of(
            RateLimiterProperties atStart, RateLimiterProperties read, boolean hasRoutes, boolean hasClients) {
        List<String> settings = new ArrayList<>();
        Arrays.stream(RateLimiterProperties.class.getRecordComponents())
                .filter(setting -> !FOLLOWED.contains(setting.getName()))
                .filter(setting -> !Objects.equals(value(setting, read), value(setting, atStart)))
                .forEach(setting -> settings.add(DataObjectPropertyName.toDashedForm(setting.getName())));
        if (!hasRoutes && !read.routes().isEmpty()) {
            settings.add("routes, because there were none");
        }
        if (!hasRoutes && !read.deny().isEmpty()) {
            settings.add("deny, because there was neither that nor a route");
        }
        if (!hasClients && !read.clients().isEmpty()) {
            settings.add("clients, because there were none");
        }
        if (read.onStoreFailure() != atStart.onStoreFailure()) {
            settings.add("on-store-failure, for clients, filters of a gateway and the application's own code");
        }
        return settings;
    }

    private static Object value(RecordComponent setting, RateLimiterProperties properties) {
        return String.valueOf(ReflectionUtils.invokeMethod(setting.getAccessor(), properties));
    }
}
