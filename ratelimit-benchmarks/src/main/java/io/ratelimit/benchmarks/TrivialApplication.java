package io.ratelimit.benchmarks;

import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A web application of one endpoint that does nothing, on a port of its own. */
@EnableAutoConfiguration
@RestController
class TrivialApplication {

    static final String PATH = "/ping";
    static final String BODY = "pong";

    @GetMapping(PATH)
    String ping() {
        return BODY;
    }

    static ServletWebServerApplicationContext start(List<String> properties) {
        SpringApplication application = new SpringApplication(TrivialApplication.class);
        application.setLogStartupInfo(false);
        return (ServletWebServerApplicationContext) application.run(Stream.concat(
                        Stream.of(
                                "server.port=0",
                                "spring.cloud.gateway.enabled=false", // it is there for its script
                                "spring.cloud.gateway.server.webflux.enabled=false",
                                "spring.main.banner-mode=off",
                                "logging.level.root=warn",
                                "server.tomcat.max-keep-alive-requests=-1"),
                        properties.stream())
                .map(property -> "--" + property)
                .toArray(String[]::new));
    }
}
