package io.ratelimit.howto;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;

/** The properties that the metadata on the class path has: of Spring Boot and of this library. */
final class KnownProperties {

    private static final Set<String> NAMES = new HashSet<>();
    private static final Set<String> MAPS = new HashSet<>();

    static {
        try {
            for (URL file : Collections.list(KnownProperties.class
                    .getClassLoader()
                    .getResources("META-INF/spring-configuration-metadata.json"))) {
                try (InputStream in = file.openStream()) {
                    new ObjectMapper().readTree(in).path("properties").forEach(KnownProperties::add);
                }
            }
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private KnownProperties() {}

    private static void add(JsonNode property) {
        String name = property.path("name").asText();
        NAMES.add(name);
        if (property.path("type").asText().startsWith("java.util.Map")) {
            MAPS.add(name + ".");
        }
    }

    /** Properties of a gateway are not on the class path of these tests; ratelimit-compatibility starts gateways. */
    static boolean contain(String property) {
        String name = property.replaceAll("\\[\\d+]", "");
        return NAMES.contains(name)
                || MAPS.stream().anyMatch(name::startsWith)
                || name.startsWith("spring.cloud.gateway.server.webflux.routes");
    }
}
