package org.springframework.cloud;

import io.ratelimit.spring.RateLimited;

/** In a package of Spring's own, where no application has classes. */
public class AmongSprings {

    @RateLimited
    public void call() {}
}
