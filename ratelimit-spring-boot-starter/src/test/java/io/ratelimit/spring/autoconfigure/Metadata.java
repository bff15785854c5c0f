package io.ratelimit.spring.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.configurationmetadata.ConfigurationMetadataProperty;
import org.springframework.boot.configurationmetadata.ConfigurationMetadataRepositoryJsonBuilder;

/** The metadata that the build generates, as Spring Boot's own reader gives it to editors. */
final class Metadata {

    static final String BY_HAND =
            "the processor does not look into maps nor know values: additional-spring-configuration-metadata.json has them";

    private Metadata() {}

    /** The properties of this library by name, without deprecated ones. */
    static Map<String, ConfigurationMetadataProperty> properties() {
        Map<String, ConfigurationMetadataProperty> ours = new TreeMap<>();
        read().forEach((name, property) -> {
            if (!property.isDeprecated()) {
                ours.put(name, property);
            }
        });
        return ours;
    }

    private static Map<String, ConfigurationMetadataProperty> read() {
        try {
            for (URL file : Collections.list(
                    Metadata.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
                try (InputStream in = file.openStream()) {
                    Map<String, ConfigurationMetadataProperty> properties =
                            ConfigurationMetadataRepositoryJsonBuilder.create(in)
                                    .build()
                                    .getAllProperties();
                    if (properties.containsKey("rate-limiter.enabled")) {
                        checkIsMerged(Path.of(URI.create(file.toString())));
                        return properties;
                    }
                }
            }
            throw new AssertionError("the build has generated no metadata");
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** The processor merges what is written by hand only when javac runs. */
    private static void checkIsMerged(Path generated) throws IOException {
        Path byHand = generated.resolveSibling("additional-spring-configuration-metadata.json");
        if (Files.getLastModifiedTime(byHand).compareTo(Files.getLastModifiedTime(generated)) > 0) {
            throw new AssertionError(
                    byHand.getFileName() + " has changed, and no Java: run mvn clean, or touch RateLimiterProperties");
        }
    }
}
