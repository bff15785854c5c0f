package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

class UnknownPropertyTest {

    /** Every property of every level. */
    static Stream<String> properties() {
        return Metadata.properties().keySet().stream()
                .filter(name -> name.startsWith("rate-limiter."))
                .map(name -> name.replace("*", "a"));
    }

    @ParameterizedTest
    @MethodSource("properties")
    void theNearestPropertyIsTheOneThatLacksALetter(String property) {
        String parent = property.substring(0, property.lastIndexOf('.') + 1);
        String name = property.substring(parent.length());

        assertThat(IntStream.range(1, name.length())
                        .filter(letter -> name.charAt(letter) != '-')
                        .mapToObj(letter -> parent + new StringBuilder(name).deleteCharAt(letter))
                        .filter(misspelt -> properties().noneMatch(misspelt::equals)))
                .allSatisfy(misspelt -> assertThat(action(misspelt)).startsWith("Did you mean '%s'?".formatted(name)));
    }

    private static String action(String unknown) {
        ConfigurationProperty property = new ConfigurationProperty(ConfigurationPropertyName.of(unknown), "5", null);
        UnboundConfigurationPropertiesException failure = new UnboundConfigurationPropertiesException(Set.of(property));
        return new UnknownPropertyFailureAnalyzer().analyze(failure).getAction();
    }
}
