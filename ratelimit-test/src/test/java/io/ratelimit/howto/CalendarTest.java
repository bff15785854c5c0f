package io.ratelimit.howto;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.ratelimit.CalendarPeriod;
import io.ratelimit.Limit;
import io.ratelimit.spring.Limits;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.web.servlet.MockMvc;

@HowTo("calendar")
class CalendarTest {

    @Test
    void theLimitInCodeIsThatOfThePage(@Autowired Limits limits) {
        CalendarPeriod billed = CalendarPeriod.of(CalendarPeriod.Unit.MONTH, ZoneId.of("Europe/Paris"))
                .startingOn(14);

        assertThat(limits.get("month")).isEqualTo(Limit.of("month", 10_000, billed));
    }

    @Test
    void aRequestIsChargedToBothLimits(@Autowired MockMvc mvc) throws Exception {
        mvc.perform(get("/api/orders").header("X-Api-Key", "k1"))
                .andExpect(isNotRateLimited())
                .andExpect(result -> assertThat(result.getResponse().getHeader("RateLimit-Policy"))
                        .isEqualTo("\"day\";q=1000,\"month\";q=10000"));
    }
}
