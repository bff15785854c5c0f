package io.ratelimit.howto;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;

import io.ratelimit.Limit;
import io.ratelimit.LimitProvider;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;

@HowTo("provider")
@TestPropertySource(properties = {"rate-limiter.timeout=1m", "management.endpoints.web.exposure.include=ratelimits"})
class ProviderTest {

    @TestConfiguration(proxyBeanMethods = false)
    static class Contracts {

        @Bean
        JdbcClient jdbc() {
            JdbcClient jdbc = JdbcClient.create(new EmbeddedDatabaseBuilder()
                    .setType(EmbeddedDatabaseType.H2)
                    .build());
            jdbc.sql("create table contract (subject varchar primary key, requests_per_hour bigint)")
                    .update();
            jdbc.sql("insert into contract values ('principal:acme', 6)").update();
            return jdbc;
        }

        @Bean
        LimitProvider contracts(JdbcClient jdbc) {
            return new LimitProvider() {
                @Override
                public Optional<Numbers> numbers(Limit limit, String subject) {
                    return jdbc.sql("select requests_per_hour from contract where subject = ?")
                            .param(subject)
                            .query(Long.class)
                            .optional()
                            .map(Numbers::of);
                }

                @Override
                public boolean provides(Limit limit) {
                    return limit.name().equals("api");
                }
            };
        }
    }

    @Autowired
    private MockMvc mvc;

    @Test
    void eachCustomerHasTheNumbersOfItsContract() throws Exception {
        admits(6, by("acme"));
        mvc.perform(by("acme")).andExpect(isRateLimited());
        admits(3, by("bob"));
        mvc.perform(by("bob")).andExpect(isRateLimited());
        mvc.perform(get("/actuator/ratelimits/principal:acme"))
                .andExpect(jsonPath("$[0].from").value("provider"));
    }

    @Test
    void aLimitThatItDoesNotProvideHasItsOwn() throws Exception {
        admits(5, post("/login"));
        mvc.perform(post("/login")).andExpect(isRateLimited());
    }

    private void admits(int requests, MockHttpServletRequestBuilder request) throws Exception {
        for (int i = 0; i < requests; i++) {
            mvc.perform(request).andExpect(isNotRateLimited());
        }
    }

    private static MockHttpServletRequestBuilder by(String customer) {
        return get("/api/orders").principal(() -> customer);
    }
}
