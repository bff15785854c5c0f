package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.ClientProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.LevelProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.LimitProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.PlanProperties;
import io.ratelimit.spring.autoconfigure.RateLimiterProperties.RouteProperties;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Explains an unknown property below {@code rate-limiter} and suggests the nearest known name. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnboundConfigurationPropertiesException> {

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("rate-limiter");

    /** The properties of a ban; no component of a record can be named "for". */
    private static final List<String> BAN = List.of("after", "within", "for");

    /** The properties below a property; but for a ban, below a name or number. */
    private static final Map<String, List<String>> BELOW = Map.of(
            "ban", BAN,
            "plans", properties(PlanProperties.class),
            "levels", properties(LevelProperties.class),
            "limits", properties(LimitProperties.class),
            "routes", properties(RouteProperties.class),
            "clients", properties(ClientProperties.class));

    @Override
    protected @Nullable FailureAnalysis analyze(Throwable rootFailure, UnboundConfigurationPropertiesException cause) {
        List<ConfigurationProperty> unknown = cause.getUnboundProperties().stream()
                .filter(property -> PREFIX.isAncestorOf(property.getName()))
                .toList();
        if (unknown.isEmpty()) {
            return null;
        }
        return new FailureAnalysis(
                unknown.stream()
                        .map(UnknownPropertyFailureAnalyzer::description)
                        .collect(Collectors.joining("\n")),
                unknown.stream().map(UnknownPropertyFailureAnalyzer::action).collect(Collectors.joining("\n"))
                        + MessagePage.whyAndCure(MessageCode.PROPERTY_UNKNOWN),
                cause);
    }

    private static String description(ConfigurationProperty property) {
        return "%s: %s: unknown property, with the value \"%s\" (%s)"
                .formatted(MessageCode.PROPERTY_UNKNOWN, property.getName(), property.getValue(), property.getOrigin());
    }

    private static String action(ConfigurationProperty property) {
        ConfigurationPropertyName name = property.getName();
        List<String> known = properties(RateLimiterProperties.class);
        int level = 1;
        for (int next = next(known, name, level); next > 0; next = next(known, name, level)) {
            known = below(name, level);
            level = next;
        }
        String written = name.getElement(level, Form.UNIFORM);
        String nearest = known.stream()
                .min(Comparator.comparing((String candidate) -> !sharesWord(candidate, written))
                        .thenComparingInt(candidate -> distance(letters(candidate), written)))
                .orElseThrow();
        return "Did you mean '%s'? There are %s.".formatted(nearest, known);
    }

    /** Returns the level of the properties below the one at this level; 0 if there are none. */
    private static int next(List<String> known, ConfigurationPropertyName name, int level) {
        String at = name.getElement(level, Form.UNIFORM);
        boolean isKnown = known.stream().anyMatch(one -> letters(one).equals(at));
        int next = level + (at.equals("ban") ? 1 : 2);
        return isKnown && BELOW.containsKey(at) && name.getNumberOfElements() > next ? next : 0;
    }

    private static List<String> below(ConfigurationPropertyName name, int level) {
        return Objects.requireNonNull(BELOW.get(name.getElement(level, Form.UNIFORM)));
    }

    private static List<String> properties(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(component -> DataObjectPropertyName.toDashedForm(component.getName()))
                .toList();
    }

    private static String letters(String name) {
        return name.replace("-", "");
    }

    /** A word of a name, such as "window", is nearer to it than to a short name with other letters; "algorithm" is to use-algo. */
    private static boolean sharesWord(String name, String written) {
        return letters(name).contains(written)
                || Arrays.stream(name.split("-")).anyMatch(word -> word.length() > 3 && written.contains(word));
    }

    /** Returns the number of letters to insert or remove. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 2);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()];
    }
}
