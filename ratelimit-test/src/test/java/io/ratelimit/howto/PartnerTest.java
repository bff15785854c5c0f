package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.test.web.client.match.MockRestRequestMatchers.anything;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withSuccess;
import static org.springframework.test.web.client.response.MockRestResponseCreators.withTooManyRequests;

import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.OutboundLimitExceededException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.web.client.RestClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.http.MediaType;
import org.springframework.test.web.client.MockRestServiceServer;
import org.springframework.web.client.HttpClientErrorException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.service.annotation.GetExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

@HowTo("partner")
class PartnerTest {

    static class GitHub {

        private final RestClient client;

        GitHub(RestClient.Builder builder) {
            client = builder.baseUrl("https://api.github.com").build();
        }

        String repository(String name) {
            return client.get().uri("/repos/{name}", name).retrieve().body(String.class);
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class ByHand {

        @Bean
        RestClient byHand(@Qualifier("rateLimiterRestClients") ObjectProvider<RestClientCustomizer> limits) {
            RestClient.Builder builder = RestClient.builder();
            limits.ifAvailable(customizer -> customizer.customize(builder));
            return builder.build();
        }
    }

    @Autowired
    private RestClient.Builder builder;

    @Autowired
    private RestClient byHand;

    @Autowired
    private RateLimiter limiter;

    @Autowired
    private Limits limits;

    @Test
    void requestsTakeFromTheQuotaUntilThePartnerSaysOtherwise() {
        MockRestServiceServer server = MockRestServiceServer.bindTo(builder).build();
        server.expect(anything()).andRespond(withSuccess("found", MediaType.TEXT_PLAIN));
        server.expect(anything()).andRespond(withTooManyRequests(60));
        GitHub github = new GitHub(builder);

        assertThat(answer(github)).isEqualTo("found");
        assertThat(remaining()).isEqualTo(4_999);
        assertThat(answer(github)).isEqualTo("429");
        assertThat(answer(github)).isEqualTo("again in 60 s");
        assertThat(byHand.mutate().build()).isNotNull();
        server.verify();
    }

    interface Repositories {

        @GetExchange("https://api.github.com/repositories")
        String all();
    }

    @Test
    void anInterfaceIsLimitedAsItsClientIs() {
        MockRestServiceServer server = MockRestServiceServer.bindTo(builder).build();
        server.expect(anything()).andRespond(withSuccess("found", MediaType.TEXT_PLAIN));
        Repositories repositories = HttpServiceProxyFactory.builderFor(RestClientAdapter.create(builder.build()))
                .build()
                .createClient(Repositories.class);

        assertThat(repositories.all()).isEqualTo("found");
        assertThat(remaining()).isEqualTo(4_999);
    }

    private static String answer(GitHub github) {
        try {
            return found(github);
        } catch (HttpClientErrorException refused) {
            return "429";
        }
    }

    private static String found(GitHub github) {
        try {
            return github.repository("ratelimit");
        } catch (OutboundLimitExceededException later) {
            return "again in " + later.decision().retryAfter().toSeconds() + " s";
        }
    }

    @Test
    void aBlockStopsASubject() {
        Limit partner = Limit.of("partner", Algorithm.FIXED_WINDOW, 5, Duration.ofMinutes(1));
        limiter.block(partner, "global", Duration.ofSeconds(30)); // or until an Instant

        assertThat(limiter.acquire(Acquisition.of(partner, "global")).allowed()).isFalse();
    }

    @Test
    void aCapLeavesASubjectSoMuch() {
        Limit partner = Limit.of("partner", Algorithm.FIXED_WINDOW, 5_000, Duration.ofMinutes(1));
        limiter.cap(partner, "global", 40, Duration.ofSeconds(12));

        assertThat(limiter.peek(Acquisition.of(partner, "global")).remaining()).isEqualTo(40);
    }

    @Test
    void aDearCallCostsMore() {
        Limit budget = Limit.of("budget", Algorithm.SLIDING_WINDOW_LOG, 9_500, Duration.ofHours(1));
        Decision search = limiter.acquire(Acquisition.of(budget, "global", 100), Duration.ofSeconds(5));

        assertThat(search.remaining()).isEqualTo(9_400);
    }

    private long remaining() {
        return limiter.peek(Acquisition.of(limits.get("github"), "global")).remaining();
    }
}
