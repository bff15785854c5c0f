package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.autoconfigure.RateLimiterProperties.BanProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.ClientProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.LimitProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.PlanProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import java.lang.reflect.Parameter;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.BeanUtils;
import org.springframework.boot.configurationmetadata.ConfigurationMetadataProperty;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/** What an editor knows of {@code rate-limiter.*}. */
class MetadataTest {

    private final Map<String, ConfigurationMetadataProperty> properties = Metadata.properties();

    @Test
    void everyPropertyHasADescriptionInTheHouseStyle() {
        assertThat(properties)
                .allSatisfy((name, property) -> assertThat(property.getDescription())
                        .isNotBlank()
                        .endsWith(".")
                        .doesNotStartWith("The ")
                        .doesNotStartWith("A ")
                        .doesNotContainIgnoringCase("default is")
                        .doesNotContainIgnoringCase("defaults to")
                        .doesNotContainIgnoringCase("by default"));
    }

    @Test
    void whatIsYesOrNoIsAskedAsWhether() {
        assertThat(properties.values())
                .filteredOn(property -> property.getType().equals("java.lang.Boolean"))
                .filteredOn(property -> !property.getId().startsWith("management.endpoint."))
                .allSatisfy(property -> assertThat(property.getDescription()).startsWith("Whether "));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("parameters")
    void knowsWhatIsBound(String name, Parameter parameter) {
        assertThat(properties).as(Metadata.BY_HAND).containsKey(name);
        assertThat(properties.get(name).getType()).isEqualTo(type(parameter));
        DefaultValue bound = parameter.getAnnotation(DefaultValue.class);
        if (bound != null && bound.value().length > 0) {
            assertThat(defaults(properties.get(name))).containsExactly(bound.value());
        }
    }

    static Stream<Arguments> parameters() {
        return Stream.of(
                        parameters("rate-limiter.", RateLimiterProperties.class),
                        parameters("rate-limiter.limits.*.", LimitProperties.class),
                        parameters("rate-limiter.limits.*.ban.", BanProperties.class),
                        parameters("rate-limiter.plans.*.", PlanProperties.class),
                        parameters("rate-limiter.limits.*.plans.*.", PlanProperties.class),
                        parameters("rate-limiter.routes.*.plans.*.", PlanProperties.class),
                        parameters("rate-limiter.clients.*.", ClientProperties.class),
                        parameters("rate-limiter.routes.*.", RouteProperties.class))
                .flatMap(all -> all);
    }

    private static Stream<Arguments> parameters(String prefix, Class<?> type) {
        return Stream.of(BeanUtils.getResolvableConstructor(type).getParameters())
                .filter(parameter -> parameter.getType() != BanProperties.class)
                .filter(parameter -> !prefix.contains("*") || parameter.getType() != Map.class)
                .map(parameter ->
                        Arguments.of(prefix + DataObjectPropertyName.toDashedForm(name(parameter)), parameter));
    }

    private static String name(Parameter parameter) {
        Name given = parameter.getAnnotation(Name.class);
        return given == null ? parameter.getName() : given.value();
    }

    private static String type(Parameter parameter) {
        Class<?> type = ClassUtils.resolvePrimitiveIfNecessary(parameter.getType());
        return type.getTypeParameters().length == 0
                ? type.getName()
                : ResolvableType.forType(parameter.getParameterizedType())
                        .toString()
                        .replace(", ", ",");
    }

    private static List<String> defaults(ConfigurationMetadataProperty property) {
        Object value = property.getDefaultValue();
        return value instanceof Object[] several
                ? Stream.of(several).map(Object::toString).toList()
                : List.of(String.valueOf(value));
    }
}
