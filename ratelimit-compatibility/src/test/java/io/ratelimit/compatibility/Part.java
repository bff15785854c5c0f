package io.ratelimit.compatibility;

import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What an application has on its class path beside Spring Boot and the starter. */
enum Part {
    SERVLET("spring-webmvc|spring-boot-webmvc|spring-boot-servlet|spring-boot-tomcat|tomcat-"),
    REACTIVE("spring-webflux|spring-boot-webflux|reactor-netty-|spring-boot-reactor|blockhound"),
    SECURITY("spring-security-|spring-boot-security"),
    REDIS("spring-data-redis|spring-boot-data-redis|lettuce-|redis-authx-"),
    JEDIS("jedis"),
    SESSION("spring-session-|spring-boot-session"),
    CACHE("spring-boot-cache|spring-boot-starter-cache"),
    DEVTOOLS("spring-boot-devtools"),
    WEBFLUX_GATEWAY("spring-cloud-gateway-server-webflux|spring-cloud-gateway-server-4"),
    WEBMVC_GATEWAY("spring-cloud-gateway-server-webmvc|spring-cloud-gateway-server-mvc");

    private static final String CLASS_PATH = System.getProperty("java.class.path");

    private static final Pattern OF_TESTS = Pattern.compile(
            "junit|surefire|mockito|spring-test|spring-boot-test|testcontainers|embedded-redis|ratelimit-core.*tests");

    private static final Pattern OF_STARTER = Pattern.compile("ratelimit-|resilience4j-");

    private final Pattern jars;

    Part(String jars) {
        this.jars = Pattern.compile(jars);
    }

    /** The tests' class path without the other parts. */
    static String classPath(Set<Part> parts) {
        Set<Pattern> absent = EnumSet.complementOf(EnumSet.copyOf(parts)).stream()
                .map(part -> part.jars)
                .collect(Collectors.toSet());
        absent.add(OF_TESTS);
        if (!parts.contains(WEBFLUX_GATEWAY) && !parts.contains(WEBMVC_GATEWAY)) {
            absent.add(Pattern.compile("spring-cloud-|caffeine"));
        }
        if (!parts.contains(REACTIVE) && !parts.contains(REDIS)) {
            absent.add(Pattern.compile("reactor-core|netty-"));
        }
        return Arrays.stream(CLASS_PATH.split(File.pathSeparator))
                .filter(entry -> absent.stream()
                        .noneMatch(jars -> jars.matcher(fileName(entry)).lookingAt()))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The same without the starter and what it brings. */
    static String classPathWithoutStarter(Set<Part> parts) {
        return Arrays.stream(classPath(parts).split(File.pathSeparator))
                .filter(entry -> !OF_STARTER.matcher(fileName(entry)).lookingAt())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String fileName(String entry) {
        return Path.of(entry).getFileName().toString();
    }
}
