package io.ratelimit.spring.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.common.docs.KeyName;
import io.ratelimit.spring.internal.operate.ObservedDecisions.RateLimiterObservation;
import io.ratelimit.spring.internal.operate.RateLimiterMeter.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The tables in {@code docs/metrics.md} say what the enums say. */
class DocumentedMetersTest {

    @Test
    void theDocumentHasEveryMeter() throws IOException {
        assertThat(document()).contains(meters());
    }

    @Test
    void theDocumentHasEveryTag() throws IOException {
        assertThat(document()).contains(tags());
    }

    @Test
    void theDocumentHasTheObservation() throws IOException {
        RateLimiterObservation observation = RateLimiterObservation.DECISION;
        assertThat(document())
                .contains("`%s`".formatted(observation.getName()))
                .contains("`%s`".formatted(observation.getContextualName()))
                .contains(keys(observation.getLowCardinalityKeyNames()))
                .contains(keys(observation.getHighCardinalityKeyNames()));
    }

    private static String keys(KeyName... keys) {
        return Arrays.stream(keys).map(key -> "`%s`".formatted(key.asString())).collect(Collectors.joining(", "));
    }

    private static String meters() {
        return "| meter | type | tags | counts |\n|---|---|---|---|\n"
                + Arrays.stream(RateLimiterMeter.values())
                        .map(meter -> "| `%s` | %s | %s | %s |\n"
                                .formatted(
                                        meter.getName(),
                                        meter.getType()
                                                .name()
                                                .toLowerCase(Locale.ROOT)
                                                .replace('_', ' '),
                                        keys(meter.getKeyNames()),
                                        meter.description()))
                        .collect(Collectors.joining());
    }

    private static String tags() {
        return "| tag | values |\n|---|---|\n"
                + Arrays.stream(Tag.values())
                        .map(tag -> "| `%s` | %s |\n".formatted(tag.asString(), tag.meaning()))
                        .collect(Collectors.joining());
    }

    private static String document() throws IOException {
        return Files.readString(Path.of("..", "docs", "metrics.md"));
    }
}
