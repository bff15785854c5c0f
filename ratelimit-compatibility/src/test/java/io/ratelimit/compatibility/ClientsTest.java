package io.ratelimit.compatibility;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpServer;
import io.ratelimit.spring.OutboundLimitExceededException;
import io.ratelimit.spring.autoconfigure.ClientsRateLimiterAutoConfiguration;
import io.ratelimit.spring.autoconfigure.RateLimiterAutoConfiguration;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.cloud.openfeign.EnableFeignClients;
import org.springframework.cloud.openfeign.FeignAutoConfiguration;
import org.springframework.cloud.openfeign.FeignClient;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** Spring Boot's builders of HTTP clients, whose customizers have other packages in Spring Boot 4. */
class ClientsTest {

    @FeignClient("shop")
    interface Shop {
        @GetMapping("/things")
        String things();
    }

    @EnableFeignClients(clients = Shop.class)
    static class Feign {}

    @Test
    void theBuildersLimitWhatTheirClientsSend() throws IOException {
        HttpServer partner = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        partner.createContext("/", exchange -> {
            exchange.getResponseHeaders().set("Retry-After", "30");
            exchange.sendResponseHeaders(503, -1);
            exchange.close();
        });
        partner.start();
        String host = "localhost:" + partner.getAddress().getPort();
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            TestPropertyValues.of(
                            "rate-limiter.store=in-memory",
                            "rate-limiter.limits.partner.max-requests=5",
                            "rate-limiter.clients.shop.hosts=" + host,
                            "spring.cloud.openfeign.client.config.shop.url=http://" + host,
                            "rate-limiter.clients.shop.limits=partner")
                    .applyTo(context);
            context.register(RateLimiterAutoConfiguration.class, ClientsRateLimiterAutoConfiguration.class);
            context.register(FeignAutoConfiguration.class, Feign.class);
            context.register(
                    either(
                            "org.springframework.boot.autoconfigure.web.client.RestClientAutoConfiguration",
                            "org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration"),
                    either(
                            "org.springframework.boot.autoconfigure.web.reactive.function.client.WebClientAutoConfiguration",
                            "org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration"));
            context.refresh();
            RestClient client = context.getBean(RestClient.Builder.class).build();

            assertThat(status(client, host)).isEqualTo(503);
            assertThatExceptionOfType(OutboundLimitExceededException.class)
                    .isThrownBy(() -> status(client, host))
                    .withMessageContaining("blocked limit 'partner'");
            assertThatExceptionOfType(OutboundLimitExceededException.class)
                    .isThrownBy(() -> context.getBean(WebClient.Builder.class)
                            .build()
                            .get()
                            .uri("http://" + host)
                            .retrieve()
                            .toBodilessEntity()
                            .block())
                    .withMessageContaining("blocked limit 'partner'");
            assertThatExceptionOfType(OutboundLimitExceededException.class)
                    .isThrownBy(() -> context.getBean(Shop.class).things())
                    .withMessageContaining("blocked limit 'partner'");
        } finally {
            partner.stop(0);
        }
    }

    private static int status(RestClient client, String host) {
        return client.get()
                .uri("http://" + host)
                .exchange((request, response) -> response.getStatusCode().value());
    }

    private static Class<?> either(String... names) {
        return Stream.of(names)
                .filter(name -> ClassUtils.isPresent(name, null))
                .<Class<?>>map(name -> ClassUtils.resolveClassName(name, null))
                .findFirst()
                .orElseThrow();
    }
}
