package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.delete;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.ratelimit.spring.RateLimitOverrideEvent;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.ResultActions;

@HowTo("attack")
class AttackTest {

    static class Audited {

        final List<String> audit = new CopyOnWriteArrayList<>();

        @EventListener
        void on(RateLimitOverrideEvent change) {
            change.maxRequests()
                    .ifPresentOrElse(
                            requests -> audit.add(change.limit() + " admits " + requests),
                            () -> audit.add(change.limit() + " has its own numbers again"));
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Listeners {
        @Bean
        Audited audited() {
            return new Audited();
        }
    }

    @Autowired
    private MockMvc mvc;

    @Autowired
    private Audited audited;

    @Test
    void everyCallOfThePageDoesWhatItSays() throws Exception {
        List<String> bodies = Pattern.compile("POST /actuator/ratelimits/limits/(\\w+)` `(\\{.*?})`")
                .matcher(Pages.text(Pages.named("attack")))
                .results()
                .map(call -> {
                    override(call.group(1), call.group(2));
                    return call.group(2);
                })
                .toList();
        assertThat(bodies).hasSize(2);

        assertThat(audited.audit).containsExactly("api admits 50", "burst admits 5");
        call().andExpect(result -> assertThat(result.getResponse().getHeader("RateLimit-Policy"))
                .isEqualTo("\"burst\";q=5;w=1,\"api\";q=50;w=60"));
        mvc.perform(get("/actuator/ratelimits"))
                .andExpect(jsonPath("$.limits[0].from").value("override"))
                .andExpect(jsonPath("$.limits[0].override.ownMaxRequests").value(100));

        mvc.perform(delete("/actuator/ratelimits/limits/api")).andExpect(status().isOk());
        mvc.perform(delete("/actuator/ratelimits/limits/burst")).andExpect(status().isOk());
        assertThat(audited.audit).endsWith("api has its own numbers again", "burst has its own numbers again");
        call().andExpect(result -> assertThat(result.getResponse().getHeader("RateLimit-Policy"))
                .isEqualTo("\"burst\";q=20;w=2,\"api\";q=100;w=60"));
    }

    private void override(String limit, String body) {
        try {
            mvc.perform(post("/actuator/ratelimits/limits/" + limit)
                            .contentType(MediaType.APPLICATION_JSON)
                            .content(body))
                    .andExpect(status().isOk())
                    .andExpect(content().string(org.hamcrest.Matchers.containsString("this instance alone")));
        } catch (Exception failed) {
            throw new AssertionError(failed);
        }
    }

    private ResultActions call() throws Exception {
        return mvc.perform(get("/api/orders"));
    }
}
