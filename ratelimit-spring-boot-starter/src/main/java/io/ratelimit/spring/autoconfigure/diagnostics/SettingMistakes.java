package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.Limit;
import io.ratelimit.Quota;
import io.ratelimit.spring.HeaderFamily;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.BanProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.ClientProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.LevelProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.LimitProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.PlanProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import io.ratelimit.spring.internal.rule.Routes.Route;
import io.ratelimit.spring.internal.web.ManagementEndpoints;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.cloud.CloudPlatform;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/** Finds properties that are valid and almost certainly wrong. Each method looks for one mistake. */
final class SettingMistakes {

    private static final long SECOND_MICROS = 1_000_000;

    /** The only server that reads the header from the right. */
    private static final String TOMCAT = "org.apache.catalina.startup.Tomcat";

    private static final Pattern NO_BITS = Pattern.compile(".*/0+");

    /** The ends of what Kubernetes adds for each Service, such as one named {@code rate-limiter}. */
    private static final Pattern SERVICE_LINK =
            Pattern.compile("(.*_)?(SERVICE_(HOST|PORT(_.+)?)|PORT(_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)");

    /** Properties that stand before all paths that routes see. */
    private static final List<String> BASE_PATHS =
            List.of("server.servlet.context-path", "spring.mvc.servlet.path", "spring.webflux.base-path");

    private SettingMistakes() {}

    /** Finds trusted proxies that include every address, and servers that believe any client's header. */
    static List<String> trustInEverybody(RateLimiterProperties properties, Environment environment) {
        List<String> findings = new ArrayList<>();
        String everybody = properties.trustedProxies().stream()
                .filter(network -> NO_BITS.matcher(network).matches())
                .collect(Collectors.joining(", "));
        if (!everybody.isEmpty()) {
            findings.add(("rate-limiter.trusted-proxies '%s' trusts everybody: any client names the address it is"
                            + " counted by. Name the networks of your own proxies only")
                    .formatted(everybody));
        }
        String strategy = forwardHeadersStrategy(environment);
        if (strategy.equals("framework") || (strategy.equals("native") && !ClassUtils.isPresent(TOMCAT, null))) {
            findings.add(("server.forward-headers-strategy '%s' takes the first address of X-Forwarded-For: unless your"
                            + " proxies replace that header, any client names the address it is counted by. Set it to none, and"
                            + " name your proxies in rate-limiter.trusted-proxies")
                    .formatted(strategy));
        }
        return findings;
    }

    private static String forwardHeadersStrategy(Environment environment) {
        CloudPlatform platform = CloudPlatform.getActive(environment);
        boolean isNative = platform != null && platform.isUsingForwardHeaders();
        return environment
                .getProperty("server.forward-headers-strategy", isNative ? "native" : "none")
                .toLowerCase(Locale.ROOT);
    }

    /**
     * Finds paths of routes that repeat what comes before all paths that routes see, or name management endpoints that another port
     * serves, and so match nothing.
     */
    static List<String> pathsNotServed(RateLimiterProperties properties, Environment environment) {
        List<String> findings = new ArrayList<>();
        for (String property : BASE_PATHS) {
            String before = StringUtils.trimTrailingCharacter(environment.getProperty(property, ""), '/');
            findings.addAll(below(
                    before,
                    properties,
                    "begins with %s '%s', below which routes are matched, so that it most likely limits nothing. Leave '%s' out"
                            .formatted(property, before, before)));
        }
        if (!ManagementEndpoints.areServedHere(environment)) {
            findings.addAll(below(
                    environment.getProperty("management.endpoints.web.base-path", "/actuator"),
                    properties,
                    "names management endpoints, which management.server.port '%s' keeps from this port, and on another nothing is limited. Leave it out, and let no stranger reach them"
                            .formatted(environment.getProperty("management.server.port"))));
        }
        return findings;
    }

    private static List<String> below(String before, RateLimiterProperties properties, String finding) {
        List<String> findings = new ArrayList<>();
        if (!before.isBlank()) {
            properties
                    .routes()
                    .forEach((name, route) -> route.paths().stream()
                            .filter(path -> (path + "/").startsWith(before + "/"))
                            .forEach(path -> findings.add(
                                    "rate-limiter.routes.%s.paths '%s' %s".formatted(name, path, finding))));
        }
        return findings;
    }

    /** Finds what the IETF headers cannot express: windows below a second, of a token bucket the time to refill its burst. */
    static List<String> shortWindow(RateLimiterProperties properties, Limits limits, Stream<Route> routes) {
        List<String> times =
                properties.headers().contains(HeaderFamily.IETF) ? shortTimes(properties, limits, routes) : List.of();
        return times.isEmpty()
                ? List.of()
                : List.of(("%s is below 1s, but rate-limiter.headers holds ietf, which counts whole seconds: clients"
                                + " wait longer than they need to. Make it 1s or more, or leave ietf out")
                        .formatted(String.join(", ", times)));
    }

    private static List<String> shortTimes(RateLimiterProperties properties, Limits limits, Stream<Route> routes) {
        List<String> found = new ArrayList<>();
        if (properties.maxRequests() != null) {
            add("rate-limiter", limits.get("default"), found);
        }
        properties.limits().keySet().forEach(name -> add("rate-limiter.limits." + name, limits.get(name), found));
        routes.forEach(route -> route.rules().stream()
                .flatMap(rule -> rule.limits().stream())
                .filter(limit ->
                        limit.name().equals(route.name()) && !limits.names().contains(limit.name()))
                .forEach(own -> add("rate-limiter.routes." + route.name(), own, found)));
        return found;
    }

    private static void add(String where, Limit limit, List<String> to) {
        Quota quota = limit.quota();
        if (quota.windowMicros() < SECOND_MICROS && quota.refillMicros() < SECOND_MICROS) {
            to.add("%s.window-size '%dms'".formatted(where, quota.windowMicros() / 1_000));
        } else if (quota.refillMicros() < SECOND_MICROS) {
            to.add("the time '%dms' to refill %s.burst '%d'"
                    .formatted(quota.refillMicros() / 1_000, where, quota.capacity()));
        }
    }

    /** Finds environment variables that do not set the limit or route they seem to name, because they cannot hold the dashes of names. */
    static List<String> misnamedVariables(
            ConfigurableEnvironment environment, RateLimiterProperties properties, Limits limits) {
        List<String> findings = new ArrayList<>();
        if (environment.getPropertySources().get(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)
                instanceof EnumerablePropertySource<?> variables) {
            for (String name : variables.getPropertyNames()) {
                String rest = name.startsWith("RATE_LIMITER_") ? name.substring("RATE_LIMITER_".length()) : "";
                if (!rest.isEmpty() && !SERVICE_LINK.matcher(rest).matches()) {
                    findings.add("the environment variable %s is read for some properties only: write RATELIMITER_%s"
                            .formatted(name, withoutDashes(rest)));
                }
            }
        }
        findings.addAll(alike(limits.names(), "limits"));
        findings.addAll(alike(properties.routes().keySet(), "routes"));
        return findings;
    }

    private static List<String> alike(Set<String> names, String section) {
        List<String> findings = new ArrayList<>();
        Map<String, String> byLetters = new HashMap<>();
        for (String name : new TreeSet<>(names)) {
            String letters = name.replaceAll("[-_]", "");
            String other = byLetters.put(letters.toLowerCase(Locale.ROOT), name);
            if (other != null) {
                findings.add(("the %s '%s' and '%s' differ only by dashes or case: an environment variable such as"
                                + " RATELIMITER_%s_%s_... sets the one without. Rename one of them")
                        .formatted(
                                section,
                                other,
                                name,
                                section.toUpperCase(Locale.ROOT),
                                letters.toUpperCase(Locale.ROOT)));
            }
        }
        return findings;
    }

    /** Returns the variable as it is always read: the names of properties have no underscore for a dash. */
    private static String withoutDashes(String variable) {
        String read = variable;
        for (Class<?> type : List.of(
                RateLimiterProperties.class,
                LimitProperties.class,
                PlanProperties.class,
                BanProperties.class,
                RouteProperties.class,
                LevelProperties.class,
                ClientProperties.class)) {
            for (RecordComponent property : type.getRecordComponents()) {
                String dashed = property.getName().replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT);
                read = read.replace(dashed, dashed.replace("_", ""));
            }
        }
        return read;
    }
}
