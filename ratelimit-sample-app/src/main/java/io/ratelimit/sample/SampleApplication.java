package io.ratelimit.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the sample on port 8080. */
@SpringBootApplication
public class SampleApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(SampleApplication.class, arguments);
    }
}
