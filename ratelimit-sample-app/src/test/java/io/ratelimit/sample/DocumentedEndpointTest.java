package io.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.ratelimit.test.AutoConfigureTestRateLimiter;
import io.ratelimit.test.TestClock;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.micrometer.metrics.test.autoconfigure.AutoConfigureMetrics;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.test.web.servlet.MockMvc;

/**
 * What docs/metrics.md shows of the sample is what the sample answers, 2 s after alice has used up her quota and was refused
 * once. The comment above a block says what it shows: a request, and the part of its answer, which is a JSON pointer,
 * a field of the element to show, or how lines begin. {@code -Ddocs.renew=true} writes the answers into the page.
 */
@SpringBootTest
@AutoConfigureMockMvc
@AutoConfigureMetrics
@AutoConfigureTestRateLimiter
class DocumentedEndpointTest {

    private static final Path PAGE = Path.of("..", "docs", "metrics.md");
    private static final Pattern SHOWN =
            Pattern.compile("(<!-- sample: GET (\\S+)(?: part (\\S+))? -->\n+```\\w*\n)(.*?)(?=```)", Pattern.DOTALL);

    private final ObjectMapper json = new ObjectMapper();

    @Autowired
    private MockMvc mvc;

    @Autowired
    private TestClock clock;

    @Test
    void thePageShowsWhatTheSampleAnswers() throws Exception {
        for (int i = 0; i < 6; i++) {
            mvc.perform(get("/check?userId=alice"));
        }
        clock.advance(Duration.ofSeconds(2));

        String page = Files.readString(PAGE);
        String answered = SHOWN.matcher(page).replaceAll(this::withAnswer);

        if (Boolean.getBoolean("docs.renew")) {
            Files.writeString(PAGE, answered);
        }
        assertThat(Files.readString(PAGE)).contains("<!-- sample: ").isEqualTo(answered);
    }

    private String withAnswer(MatchResult shown) {
        try {
            String answer = mvc.perform(get(URI.create(shown.group(2))))
                    .andReturn()
                    .getResponse()
                    .getContentAsString();
            String part = shown.group(3) == null ? "" : shown.group(3);
            String text = answer.startsWith("#")
                    ? linesThatBegin(part, answer)
                    : JsonText.of(part(json.readTree(answer), part)) + "\n";
            return Matcher.quoteReplacement(shown.group(1) + text);
        } catch (Exception failed) {
            throw new AssertionError(shown.group(2), failed);
        }
    }

    private static JsonNode part(JsonNode answer, String part) {
        if (!part.contains("=")) {
            return answer.at(part);
        }
        String[] field = part.split("=", 2);
        ArrayNode some = JsonNodeFactory.instance.arrayNode();
        StreamSupport.stream(answer.spliterator(), false)
                .filter(element -> element.path(field[0]).asText().equals(field[1]))
                .forEach(some::add);
        assertThat(some).isNotEmpty();
        return some;
    }

    private static String linesThatBegin(String part, String answer) {
        return answer.lines().filter(line -> line.startsWith(part)).collect(Collectors.joining("\n", "", "\n"));
    }
}
