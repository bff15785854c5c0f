package io.ratelimit.howto;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/** An application that has what a test imports. */
@SpringBootConfiguration
@EnableAutoConfiguration
class HowToApplication {}
