package io.ratelimit.test;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** An application under test, as its authors would write it. */
@SpringBootApplication
class Shop {}
