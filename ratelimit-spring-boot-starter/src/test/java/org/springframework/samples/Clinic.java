package org.springframework.samples;

import io.ratelimit.spring.RateLimited;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;

/** An application in a package that begins as Spring's own do. */
@AutoConfigurationPackage
public class Clinic {

    @RateLimited("unknown")
    public void visit() {}
}
