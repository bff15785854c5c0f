package io.ratelimit.howto;

import io.ratelimit.test.AutoConfigureTestRateLimiter;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.test.autoconfigure.web.servlet.AutoConfigureMockMvc;
import org.springframework.boot.test.context.SpringBootTest;

/** A test of a page: its application is configured by the YAML of the page. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest
@AutoConfigureMockMvc
@AutoConfigureTestRateLimiter
@interface HowTo {

    /** The name of the page below docs, without {@code .md}. */
    String value();
}
