package io.ratelimit.compatibility.slices;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
class Shop {}
