package org.springframework.samples;

import io.ratelimit.spring.RateLimited;

/** Has a method that no class outside of this package overrides. */
public class Ward {

    @RateLimited(maxRequests = "1")
    void visit() {}

    /** Has one that all may override. */
    public static class Open extends Ward {

        @Override
        public void visit() {}
    }
}
