package io.ratelimit.lab.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cloud.gateway.route.RouteLocator;
import org.springframework.context.ConfigurableApplicationContext;

class GatewayApplicationTest {

    @Test
    void startsOnTheClassPathOfTheLab() {
        try (ConfigurableApplicationContext gateway = new SpringApplicationBuilder(GatewayApplication.class)
                .web(WebApplicationType.REACTIVE)
                .run("--server.port=0", "--rate-limiter.enabled=false")) {
            assertThat(gateway.getBean(RouteLocator.class).getRoutes().count().block())
                    .isEqualTo(1);
        }
    }
}
