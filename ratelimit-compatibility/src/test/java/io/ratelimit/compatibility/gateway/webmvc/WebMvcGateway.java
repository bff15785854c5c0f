package io.ratelimit.compatibility.gateway.webmvc;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A gateway whose routes are in its properties. */
@SpringBootApplication
public class WebMvcGateway {

    public static void main(String[] arguments) {
        SpringApplication.run(WebMvcGateway.class, arguments);
    }
}
