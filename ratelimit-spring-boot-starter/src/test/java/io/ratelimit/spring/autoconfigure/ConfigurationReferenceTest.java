package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.configurationmetadata.ConfigurationMetadataProperty;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ClassUtils;

/** The tables of docs/configuration.md say what the metadata says, and their examples can be bound. */
class ConfigurationReferenceTest {

    private static final Map<String, ConfigurationMetadataProperty> PROPERTIES = Metadata.properties();

    static List<ReferenceRow> rows() {
        return ReferenceRow.all();
    }

    @Test
    void everyPropertyHasARowAndEveryRowAProperty() {
        assertThat(rows())
                .extracting(ReferenceRow::metadata)
                .containsExactlyInAnyOrderElementsOf(PROPERTIES.values().stream()
                        .filter(property -> !property.getType().startsWith("java.util.Map"))
                        .map(ConfigurationMetadataProperty::getId)
                        .toList());
    }

    @ParameterizedTest
    @MethodSource("rows")
    void aRowHasTypeAndDefaultOfTheMetadata(ReferenceRow row) {
        ConfigurationMetadataProperty property = PROPERTIES.get(row.metadata());

        assertThat(row.type()).isEqualTo(words(property.getType()));
        if (property.getDefaultValue() != null) {
            assertThat(row.defaultValue()).isEqualTo("`" + defaultOf(property) + "`");
        } else if (row.inherits()) {
            assertThat(PROPERTIES).containsKey(row.inherited());
        }
    }

    @ParameterizedTest
    @MethodSource("rows")
    void theExampleBinds(ReferenceRow row) throws IOException {
        String name = row.property().replace("NAME", "example");
        StandardEnvironment environment = new StandardEnvironment();
        new YamlPropertySourceLoader()
                .load("row", new ByteArrayResource((name + ": " + row.example()).getBytes(StandardCharsets.UTF_8)))
                .forEach(environment.getPropertySources()::addFirst);
        Binder binder = Binder.get(environment);

        if (name.startsWith("rate-limiter.")) {
            assertThat(binder.bind(
                                    "rate-limiter",
                                    Bindable.of(RateLimiterProperties.class),
                                    new NoUnboundElementsBindHandler(BindHandler.DEFAULT))
                            .isBound())
                    .isTrue();
        } else {
            assertThat(binder.bind(name, type(PROPERTIES.get(name).getType())).isBound())
                    .isTrue();
        }
    }

    /** A type as the tables write it. */
    private static String words(String type) {
        if (type.startsWith("java.util.List<")) {
            return "list of " + words(type.substring("java.util.List<".length(), type.length() - 1));
        }
        return switch (type) {
            case "java.lang.String" -> "text";
            case "java.lang.Long", "java.lang.Integer" -> "number";
            case "java.lang.Boolean" -> "`true`, `false`";
            case "java.time.Duration" -> "duration";
            case "io.ratelimit.spring.autoconfigure.RateLimiterProperties$LevelProperties" -> "levels";
            default ->
                Stream.of(type(type).getEnumConstants())
                        .map(constant -> "`" + dashed(constant) + "`")
                        .collect(Collectors.joining(", "));
        };
    }

    private static String defaultOf(ConfigurationMetadataProperty property) {
        Object value = property.getDefaultValue();
        if (value instanceof Object[] several) {
            return Stream.of(several).map(Object::toString).collect(Collectors.joining(", ", "[", "]"));
        }
        return property.getType().startsWith("java.") ? value.toString() : dashed(value);
    }

    private static Class<?> type(String name) {
        return ClassUtils.resolveClassName(name, null);
    }

    private static String dashed(Object constant) {
        return constant.toString().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
