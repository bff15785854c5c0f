package io.ratelimit.compatibility.hello;

import io.ratelimit.spring.RateLimited;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** One endpoint. Without the starter on the class path Java ignores the annotation. */
@SpringBootApplication
@RestController
public class HelloApplication {

    public static void main(String[] arguments) {
        SpringApplication.run(HelloApplication.class, arguments);
    }

    @RateLimited
    @GetMapping("/hello")
    public String hello() {
        return "hello";
    }
}
