package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.ClientProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.LimitProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Rejects names of limits, routes and clients that the binder would change or confuse, such as 'my limit', which becomes 'mylimit',
 * and values that stand where these belong. Looks at one property source.
 */
final class WrittenNames {

    private static final Pattern SECTION = Pattern.compile("rate[-_]?[lL]imiter\\.(limits|routes|clients)(.*)");
    private static final Pattern VARIABLE = Pattern.compile("RATELIMITER_(LIMITS|ROUTES|CLIENTS)(_[^_]+)?");
    private static final Pattern NAME_ALONE = Pattern.compile("\\[[^]]*]|\\.[^.]*");
    private static final Pattern PLAN = Pattern.compile("\\.(.+)\\.plans\\.(.+)\\.[^.]+");
    private static final Pattern PLANS_ALONE = Pattern.compile("\\.[^.]+\\.plans");
    private static final Pattern PLAN_ALONE = Pattern.compile("\\.[^.]+\\.plans(\\.[^.]+|\\[[^]]*])?");
    private static final Pattern PLAN_IN_BRACKETS = Pattern.compile("(\\..+)\\.plans\\[[^]]*](\\.[^.]+)$");
    private static final Pattern LEVEL = Pattern.compile("\\.levels\\[\\d+].*");
    private static final Pattern KEPT = Pattern.compile("[A-Za-z0-9_-]+");

    private final EnumerablePropertySource<?> source;
    private final Map<String, String> written = new HashMap<>();

    private WrittenNames(EnumerablePropertySource<?> source) {
        this.source = source;
    }

    static void check(ConfigurableEnvironment environment) {
        for (PropertySource<?> source : environment.getPropertySources()) {
            if (source instanceof EnumerablePropertySource<?> enumerable) {
                new WrittenNames(enumerable).check();
            }
        }
    }

    private void check() {
        for (String property : source.getPropertyNames()) {
            String name = VARIABLE.matcher(property).matches() ? ofVariable(property) : property;
            if (property.equals("rate-limiter")) {
                checkNothing(source.getProperty(property));
            }
            Matcher section = SECTION.matcher(name);
            if (section.matches()) {
                check(section.group(1), section.group(2), source.getProperty(property));
            }
        }
    }

    private static void checkNothing(@Nullable Object value) {
        if (!"".equals(value) && !(value instanceof Map)) {
            throw new InvalidRateLimitException(
                    MessageCode.VALUE_MISPLACED,
                    "rate-limiter",
                    "'%s' stands where properties belong: write them below it, such as enabled: false to switch limits off"
                            .formatted(value));
        }
    }

    /** Returns the name of a section, or of what is named in it, that an environment variable gives a value. */
    private static String ofVariable(String variable) {
        return variable.toLowerCase(Locale.ROOT)
                .replace("ratelimiter_", "rate-limiter.")
                .replace('_', '.');
    }

    /** @param property what follows the section, such as {@code .login.max-requests} */
    private void check(String section, String property, @Nullable Object value) {
        String withoutLevel = LEVEL.matcher(property).replaceFirst(".levels");
        String below = PLAN_IN_BRACKETS.matcher(withoutLevel).replaceFirst("$1$2"); // keeps its name, whatever that is
        String kind = section.substring(0, section.length() - 1);
        if ("".equals(value) && (below.isEmpty() || PLANS_ALONE.matcher(below).matches()) && isNothingToBinder()) {
            return;
        }
        if (below.isEmpty()) {
            throw new InvalidRateLimitException(
                    MessageCode.VALUE_MISPLACED,
                    "rate-limiter." + section,
                    "'%s' stands where named %s belong: write them below it, or leave it out"
                            .formatted(value, section));
        }
        Matcher plan = PLAN.matcher(below);
        if (plan.matches()) {
            checkName(section, plan.group(1));
            checkName(section + "." + plan.group(1) + ".plans", plan.group(2));
            return;
        }
        if (PLAN_ALONE.matcher(below).matches() && !(value instanceof Map)) {
            throw misplaced(section + below, value, "plan", "max-requests");
        }
        int leaf = below.lastIndexOf('.');
        if (NAME_ALONE.matcher(below).matches() && !(value instanceof Map)) {
            throw misplaced(section + below, value, kind, property(section));
        }
        if (below.startsWith(".") && leaf > 0) {
            String name = below.substring(1, leaf);
            if (!name.contains(".") || isKnown(section, below.substring(leaf + 1))) {
                checkName(section, name);
            }
        }
    }

    /** True from Spring Boot 4.1 on: it makes an empty text of {@code {}}, which those before leave out. */
    private static boolean isNothingToBinder() {
        try {
            return new Binder(new MapConfigurationPropertySource(Map.of("section", "")))
                    .bind("section", Bindable.mapOf(String.class, Object.class))
                    .orElse(Map.of())
                    .isEmpty();
        } catch (BindException unreadable) {
            return false;
        }
    }

    private static InvalidRateLimitException misplaced(
            String where, @Nullable Object value, String kind, String property) {
        return new InvalidRateLimitException(
                MessageCode.VALUE_MISPLACED,
                "rate-limiter." + where,
                "'%s' stands where the properties of a %s belong: write them below its name, such as %s"
                        .formatted(value, kind, property));
    }

    private static String property(String section) {
        return switch (section) {
            case "limits" -> "max-requests";
            case "routes" -> "paths";
            default -> "hosts";
        };
    }

    private void checkName(String section, String name) {
        if (!KEPT.matcher(name).matches()) {
            throw new InvalidRateLimitException(
                    MessageCode.NAME_INVALID,
                    "rate-limiter." + section,
                    "the name '%s' may only contain letters, digits, '-' and '_': rename it".formatted(name));
        }
        String other = written.putIfAbsent(section + "." + uniform(name), name);
        if (other != null && !other.equals(name)) {
            throw new InvalidRateLimitException(
                    MessageCode.NAME_INVALID,
                    "rate-limiter." + section,
                    "'%s' and '%s' are the same name to Spring Boot, which ignores case, '-' and '_': rename one of them"
                            .formatted(other, name));
        }
    }

    private static boolean isKnown(String section, String property) {
        Class<?> type = switch (section) {
            case "limits" -> LimitProperties.class;
            case "routes" -> RouteProperties.class;
            default -> ClientProperties.class;
        };
        return Arrays.stream(type.getRecordComponents())
                .anyMatch(component -> uniform(component.getName()).equals(uniform(property.replaceAll("\\[.*", ""))));
    }

    private static String uniform(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }
}
