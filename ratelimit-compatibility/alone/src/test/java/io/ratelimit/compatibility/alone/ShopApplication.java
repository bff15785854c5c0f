package io.ratelimit.compatibility.alone;

import io.ratelimit.spring.RateLimited;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.stereotype.Service;

/** An application with a cache and a repository. */
@SpringBootApplication
@EnableCaching
public class ShopApplication {

    @Service
    static class Prices {

        private final AtomicInteger lookups = new AtomicInteger();

        @Cacheable("prices")
        public int price(String product) {
            lookups.incrementAndGet();
            return product.length();
        }

        public int lookups() {
            return lookups.get();
        }

        @RateLimited
        public void order() {}
    }
}
