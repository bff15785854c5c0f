package io.ratelimit.benchmarks;

import io.ratelimit.spring.RateLimited;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** A web application of two endpoints that do nothing, one of them with an annotation; a peer may stand before them. */
@EnableAutoConfiguration
@Import({TrivialApplication.Endpoints.class, PeerInterceptor.class, HeadersFilter.class})
class TrivialApplication {

    static final String PLAIN = "/ping";
    static final String ANNOTATED = "/annotated";
    static final String USER = "X-User";
    static final String BODY = "pong";

    private static final List<String> QUIET = List.of(
            "--spring.cloud.gateway.enabled=false", // it is there for its script
            "--spring.cloud.gateway.server.webflux.enabled=false",
            "--spring.main.banner-mode=off",
            "--logging.level.root=warn");

    @RestController
    static class Endpoints {

        @GetMapping(PLAIN)
        String plain(@RequestHeader(USER) String user) {
            return BODY;
        }

        @GetMapping(ANNOTATED)
        @RateLimited(value = "ample", key = "#user")
        String annotated(@RequestHeader(USER) String user) {
            return BODY;
        }
    }

    /** Starts on the port that the arguments name. */
    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(TrivialApplication.class);
        application.setLogStartupInfo(false);
        application.run(Stream.concat(QUIET.stream(), Stream.of(args)).toArray(String[]::new));
    }
}
