package io.ratelimit.howto;

import static io.ratelimit.test.servlet.RateLimitResultMatchers.isNotRateLimited;
import static io.ratelimit.test.servlet.RateLimitResultMatchers.isRateLimited;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;

import io.ratelimit.spring.KeyResolver;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

@HowTo("key-resolver")
@Import(KeyResolverTest.Orders.class)
class KeyResolverTest {

    @RestController
    static class Orders {

        @GetMapping({"/orders", "/invoices"})
        String orders() {
            return "orders";
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Tenants {

        @Bean
        KeyResolver tenant() {
            return request -> {
                String host = request.header("Host");
                return host == null ? null : host.toLowerCase(Locale.ROOT).split("\\.", 2)[0];
            };
        }
    }

    @Autowired
    private MockMvc mvc;

    @Test
    void aTenantIsCountedByItsHost() throws Exception {
        for (int i = 0; i < 3; i++) {
            mvc.perform(get("/orders").header("Host", "acme.shop.example")).andExpect(isNotRateLimited());
        }
        mvc.perform(get("/orders").header("Host", "Acme.shop.example")).andExpect(isRateLimited());
        mvc.perform(get("/orders").header("Host", "zeta.shop.example")).andExpect(isNotRateLimited());
    }

    @Test
    void anExpressionCountsWhatNoKeyNames() throws Exception {
        for (int i = 0; i < 3; i++) {
            mvc.perform(get("/invoices").header("X-Team", "red")).andExpect(isNotRateLimited());
        }
        mvc.perform(get("/invoices").header("X-Team", "RED")).andExpect(isRateLimited());
        mvc.perform(get("/invoices").header("X-Team", "blue")).andExpect(isNotRateLimited());
    }
}
