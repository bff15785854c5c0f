package io.ratelimit.compatibility;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What an application has on its class path beside Spring Boot and the starter. */
enum Part {
    SERVLET("spring-webmvc|spring-boot-webmvc|spring-boot-servlet|spring-boot-tomcat|tomcat-"),
    SERVLET_ON_JETTY("spring-webmvc|spring-boot-webmvc|spring-boot-servlet|spring-boot-jetty|jetty-"),
    SERVLET_ON_UNDERTOW("spring-webmvc|undertow-|xnio-|jboss-threads|wildfly-|smallrye-"),
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

    private static final Pattern OF_OPERATIONS = Pattern.compile(
            ".*actuator|micrometer-(core|jakarta)|spring-boot-(micrometer|health|validation)|hibernate-validator"
                    + "|spring-boot-(properties-migrator|configuration-metadata)");

    private static final Pattern OF_STARTER = Pattern.compile("ratelimit-");

    private final Pattern jars;

    Part(String jars) {
        this.jars = Pattern.compile(jars);
    }

    /** The tests' class path without what belongs to other parts alone. */
    static String classPath(Set<Part> parts) {
        Set<Part> others = EnumSet.complementOf(EnumSet.copyOf(parts));
        List<Pattern> absent = new ArrayList<>();
        if (!parts.contains(WEBFLUX_GATEWAY) && !parts.contains(WEBMVC_GATEWAY)) {
            absent.add(Pattern.compile("spring-cloud-|caffeine"));
        }
        if (!parts.contains(REACTIVE) && !parts.contains(REDIS)) {
            absent.add(Pattern.compile("reactor-core|netty-"));
        }
        absent.add(OF_TESTS);
        return Arrays.stream(CLASS_PATH.split(File.pathSeparator))
                .filter(entry -> absent.stream().noneMatch(jars -> isOf(jars, entry)))
                .filter(entry -> parts.stream().anyMatch(part -> isOf(part.jars, entry))
                        || others.stream().noneMatch(part -> isOf(part.jars, entry)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * The same without what a first application does not have either: the actuator, metrics, validation, and the migrator,
     * which reads the metadata of all properties when an application starts.
     */
    static String classPathOfHello(Set<Part> parts, boolean starter) {
        return Arrays.stream(classPath(parts).split(File.pathSeparator))
                .filter(entry -> !isOf(OF_OPERATIONS, entry) && (starter || !isOf(OF_STARTER, entry)))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** The sample's own classes, and what it depends on; charts of its page are not needed. */
    static String classPathOfSample() {
        Path target = Path.of("..", "..", "ratelimit-sample-app", "target");
        try (DirectoryStream<Path> plain = Files.newDirectoryStream(target, "*.jar.original")) {
            return plain.iterator().next() + File.pathSeparator + classPath(Set.of(SERVLET, REDIS));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static boolean isOf(Pattern jars, String entry) {
        return jars.matcher(Path.of(entry).getFileName().toString()).lookingAt();
    }
}
