package io.ratelimit.lab.partner;

import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import io.ratelimit.spring.OutboundLimitExceededException;
import io.ratelimit.spring.autoconfigure.ClientsRateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RedisRateLimiterAutoConfiguration;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration;
import org.springframework.boot.autoconfigure.web.client.RestClientAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.web.client.RestClient;

/** An application with {@code rate-limiter.clients} and a connection to Redis of its own. */
final class OwnInstance implements Instance {

    @ImportAutoConfiguration({
        RedisAutoConfiguration.class,
        RedisRateLimiterAutoConfiguration.class,
        RateLimiterAutoConfiguration.class,
        RestClientAutoConfiguration.class,
        ClientsRateLimiterAutoConfiguration.class
    })
    static class Application {}

    private final AnnotationConfigApplicationContext application = new AnnotationConfigApplicationContext();
    private final PartnerHttp http;

    OwnInstance(Map<String, Object> properties, HttpClient client, String host) {
        application.getEnvironment().getPropertySources().addFirst(new MapPropertySource("partner", properties));
        application.register(Application.class);
        application.refresh();
        http = new PartnerHttp(application.getBean(RestClient.Builder.class), client, host);
    }

    @Override
    public void warmUp() {
        http.warmUp();
        application
                .getBean(RateLimiter.class)
                .reset(application.getBean(Limits.class).get("partner"), "global");
    }

    @Override
    public Attempt send(int number, Duration patience) {
        try {
            return http.send(number);
        } catch (OutboundLimitExceededException later) {
            return Attempt.NOT_SENT;
        }
    }

    @Override
    public void close() {
        application.close();
    }
}
