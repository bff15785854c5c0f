package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.web.servlet.MockMvc;

@HowTo("alerts")
class AlertsTest {

    private static final Path RULES =
            Pages.ROOT.resolve("ops").resolve("prometheus").resolve("alerts.yml");

    @Test
    void theEndpointExplains(@Autowired MockMvc mvc) throws Exception {
        mvc.perform(get(URI.create("/actuator/ratelimits?path=%2Forders&address=203.0.113.7")))
                .andExpect(status().isOk());
    }

    @Test
    void thePageHasEveryAlert() {
        List<String> alerts = Pattern.compile("- alert: (\\w+)")
                .matcher(Pages.text(RULES))
                .results()
                .map(alert -> "`" + alert.group(1) + "`")
                .toList();

        assertThat(alerts).isNotEmpty();
        assertThat(Pages.text(Pages.named("alerts"))).contains(alerts);
    }
}
