package io.ratelimit.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ratelimit.test.AutoConfigureTestRateLimiter;
import io.ratelimit.test.TestClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.autoconfigure.web.servlet.AutoConfigureMockMvc;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

/** What docs/metrics.md shows of the endpoint is what the sample answers. */
@SpringBootTest(properties = "management.endpoints.web.exposure.include=ratelimits")
@AutoConfigureMockMvc
@AutoConfigureTestRateLimiter
class DocumentedEndpointTest {

    private static final Path PAGE = Path.of("..", "docs", "metrics.md");
    private static final Pattern BLOCK = Pattern.compile("```json\n(.*?)```", Pattern.DOTALL);

    private final ObjectMapper json = new ObjectMapper();

    @Autowired
    private MockMvc mvc;

    @Autowired
    private TestClock clock;

    @BeforeEach
    void useUpTheQuota() throws Exception {
        for (int i = 0; i < 5; i++) {
            mvc.perform(get("/check?userId=alice"));
        }
        clock.advance(Duration.ofSeconds(2));
    }

    @Test
    void theStateOfASubject() throws Exception {
        JsonNode answer = answer(get("/actuator/ratelimits/param:userId:alice"));

        assertThat(documented().get(0).get(0)).isEqualTo(ofLimit(answer, "default"));
    }

    @Test
    void theExplanationOfARequest() throws Exception {
        JsonNode answer = answer(get("/actuator/ratelimits").param("path", "/check?userId=alice"));

        assertThat(documented().get(1)).isEqualTo(answer);
    }

    private static JsonNode ofLimit(JsonNode states, String name) {
        for (JsonNode state : states) {
            if (state.path("limit").asText().equals(name)) {
                return state;
            }
        }
        throw new AssertionError("limit '%s' is not in %s".formatted(name, states));
    }

    private JsonNode answer(MockHttpServletRequestBuilder request) throws Exception {
        return json.readTree(mvc.perform(request).andReturn().getResponse().getContentAsString());
    }

    private List<JsonNode> documented() throws IOException {
        List<JsonNode> blocks = new ArrayList<>();
        for (Matcher block = BLOCK.matcher(Files.readString(PAGE)); block.find(); ) {
            blocks.add(json.readTree(block.group(1)));
        }
        return blocks;
    }
}
