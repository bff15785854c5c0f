package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/** Rejects names of limits and routes that the binder would change, such as 'my limit', which becomes 'mylimit'. */
final class WrittenNames {

    private static final Pattern NAME = Pattern.compile("rate-?limiter\\.(limits|routes)\\.([^.\\[]+)\\..*");
    private static final Pattern KEPT = Pattern.compile("[A-Za-z0-9_-]+");

    private WrittenNames() {}

    static void check(ConfigurableEnvironment environment) {
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> enumerable) {
                for (String property : enumerable.getPropertyNames()) {
                    check(property);
                }
            }
        }
    }

    private static void check(String property) {
        Matcher name = NAME.matcher(property);
        if (name.matches() && !KEPT.matcher(name.group(2)).matches()) {
            throw new InvalidRateLimitException(
                    "rate-limiter." + name.group(1),
                    "the name '%s' may only contain letters, digits, '-' and '_': rename it".formatted(name.group(2)));
        }
    }
}
