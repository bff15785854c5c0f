package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an editor knows of {@code rate-limiter.*}. */
class MetadataTest {

    private static final String GENERATED = "spring-configuration-metadata.json";

    @ParameterizedTest
    @ValueSource(strings = {GENERATED, "additional-spring-configuration-metadata.json"})
    void everyPropertyHasADescriptionInTheHouseStyle(String file) throws IOException {
        assertThat(properties(file))
                .allSatisfy(property -> assertThat(property.path("description").asText())
                        .as(property.path("name").asText())
                        .isNotBlank()
                        .endsWith(".")
                        .doesNotStartWith("The ")
                        .doesNotStartWith("A ")
                        .doesNotContainIgnoringCase("default is")
                        .doesNotContainIgnoringCase("defaults to")
                        .doesNotContainIgnoringCase("by default"));
    }

    @ParameterizedTest
    @ValueSource(strings = {GENERATED, "additional-spring-configuration-metadata.json"})
    void whatIsYesOrNoIsAskedAsWhether(String file) throws IOException {
        assertThat(properties(file))
                .filteredOn(property -> property.path("type").asText().equals("java.lang.Boolean"))
                .allSatisfy(property ->
                        assertThat(property.path("description").asText()).startsWith("Whether "));
    }

    @Test
    void knowsEveryPropertyOfTheRecord() throws IOException {
        assertThat(properties(GENERATED))
                .extracting(property -> property.path("name").asText())
                .contains(
                        "rate-limiter.enabled",
                        "rate-limiter.use-algo",
                        "rate-limiter.max-requests",
                        "rate-limiter.window-size",
                        "rate-limiter.burst",
                        "rate-limiter.key",
                        "rate-limiter.store",
                        "rate-limiter.on-store-failure",
                        "rate-limiter.timeout",
                        "rate-limiter.headers",
                        "rate-limiter.report-only",
                        "rate-limiter.key-prefix",
                        "rate-limiter.trusted-proxies",
                        "rate-limiter.limits",
                        "rate-limiter.routes");
    }

    private static List<JsonNode> properties(String file) throws IOException {
        List<JsonNode> ours = new ArrayList<>();
        for (var files = MetadataTest.class.getClassLoader().getResources("META-INF/" + file);
                files.hasMoreElements(); ) {
            try (InputStream in = files.nextElement().openStream()) {
                for (JsonNode property : new ObjectMapper().readTree(in).path("properties")) {
                    if (property.path("name").asText().startsWith("rate-limiter.")) {
                        ours.add(property);
                    }
                }
            }
        }
        return ours;
    }
}
