package io.ratelimit.benchmarks;

import io.ratelimit.Acquisition;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.autoconfigure.ClientsRateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RedisRateLimiterAutoConfiguration;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration;
import org.springframework.boot.autoconfigure.web.client.RestClientAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.http.HttpMethod;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.client.MockClientHttpRequest;
import org.springframework.mock.http.client.MockClientHttpResponse;
import org.springframework.web.client.RestClient;

/** Requests of a {@code RestClient} to a partner that answers at once, in this process. */
final class PartnerCall implements Contender {

    @ImportAutoConfiguration({
        RedisAutoConfiguration.class,
        RedisRateLimiterAutoConfiguration.class,
        RateLimiterAutoConfiguration.class,
        RestClientAutoConfiguration.class,
        ClientsRateLimiterAutoConfiguration.class
    })
    static class Application {}

    private final String name;
    private final AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();
    private final RestClient client;
    private final Runnable before;

    private PartnerCall(String name, RedisSite redis, String limitedHost, boolean decidesBefore) {
        this.name = name;
        application
                .getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "benchmark",
                        Map.of(
                                "spring.data.redis.url", redis.uri(),
                                "rate-limiter.store", "redis",
                                "rate-limiter.key-prefix", limitedHost,
                                "rate-limiter.timeout", "5s",
                                "rate-limiter.limits.partner.use-algo", "token-bucket",
                                "rate-limiter.limits.partner.max-requests", "1000000000",
                                "rate-limiter.clients.partner.hosts", limitedHost,
                                "rate-limiter.clients.partner.limits", "partner")));
        application.register(Application.class);
        application.refresh();
        client = application
                .getBean(RestClient.Builder.class)
                .requestFactory((uri, method) -> new Answered(method, uri))
                .build();
        Acquisition one = Acquisition.of(application.getBean(Limits.class).get("partner"), "global");
        RateLimiter limiter = application.getBean(RateLimiter.class);
        before = decidesBefore ? () -> limiter.acquire(one) : () -> {};
    }

    static PartnerCall limited(RedisSite redis) {
        return new PartnerCall("limited by its host", redis, "partner.example.com", false);
    }

    static PartnerCall decidedBefore(RedisSite redis) {
        return new PartnerCall("a decision before it", redis, "other.example.com", true);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean tryAcquire(String subject) {
        before.run();
        return Objects.requireNonNull(client.get()
                        .uri("https://partner.example.com/quotes")
                        .retrieve()
                        .toBodilessEntity())
                .getStatusCode()
                .is2xxSuccessful();
    }

    @Override
    public void close() {
        application.close();
    }

    /** A request whose response is there. */
    private static final class Answered extends MockClientHttpRequest {

        Answered(HttpMethod method, URI uri) {
            super(method, uri);
        }

        @Override
        protected MockClientHttpResponse executeInternal() {
            MockClientHttpResponse response = new MockClientHttpResponse(new byte[0], HttpStatus.OK);
            response.getHeaders().set("RateLimit", "\"hourly\";r=1000000000;t=60");
            return response;
        }
    }
}
