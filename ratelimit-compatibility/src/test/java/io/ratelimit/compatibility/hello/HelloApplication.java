package io.ratelimit.compatibility.hello;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** One endpoint. */
@SpringBootApplication
@RestController
public class HelloApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(HelloApplication.class, arguments);
    }

    @GetMapping("/hello")
    public String hello() {
        return "hello";
    }
}
