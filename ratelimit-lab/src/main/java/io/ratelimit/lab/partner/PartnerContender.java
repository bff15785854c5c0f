package io.ratelimit.lab.partner;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.redis.lettuce.Bucket4jLettuce;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.github.resilience4j.ratelimiter.RateLimiterRegistry;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;
import io.ratelimit.lab.Rate;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.springframework.web.client.RestClient;

/** A way to limit requests to a partner, which an application puts in front of them. */
enum PartnerContender {
    OWN("this library") {
        @Override
        Instance open(PartnerSetup setup) {
            return own(setup, setup.rate().limit(), setup.rate().window(), Map.of());
        }
    },
    OWN_LONGER_WINDOW("this library, its window 1 % longer") {
        @Override
        Instance open(PartnerSetup setup) {
            Duration window = setup.rate().window();
            return own(setup, setup.rate().limit(), window.plus(window.dividedBy(100)), Map.of());
        }
    },
    OWN_TOO_HIGH("this library, its numbers too high by half") {
        @Override
        Instance open(PartnerSetup setup) {
            return own(setup, setup.rate().limit() * 3 / 2, setup.rate().window(), Map.of());
        }
    },
    OWN_TOO_HIGH_WITHOUT_RATELIMIT("the same, and obeys `Retry-After` only") {
        @Override
        Instance open(PartnerSetup setup) {
            return own(
                    setup,
                    setup.rate().limit() * 3 / 2,
                    setup.rate().window(),
                    Map.of("rate-limiter.clients.partner.obey", "retry-after"));
        }
    },
    RESILIENCE4J("Resilience4j, a share of the limit for each instance") {
        @Override
        Instance open(PartnerSetup setup) {
            RateLimiterConfig share = RateLimiterConfig.custom()
                    .limitForPeriod((int) setup.rate().limit() / PartnerExperiment.INSTANCES)
                    .limitRefreshPeriod(setup.rate().window())
                    .timeoutDuration(PartnerExperiment.PATIENCE)
                    .build();
            RateLimiterRegistry limiters = RateLimiterRegistry.of(share); // periods begin with the first request
            return gated(patience -> limiters.rateLimiter("partner").acquirePermission(), setup);
        }
    },
    BUCKET4J("Bucket4j on Redis, not obeying") {
        @Override
        Instance open(PartnerSetup setup) {
            Rate rate = setup.rate();
            BucketConfiguration configuration = BucketConfiguration.builder()
                    .addLimit(bandwidth -> bandwidth.capacity(rate.limit()).refillGreedy(rate.limit(), rate.window()))
                    .build();
            BucketProxy bucket = Bucket4jLettuce.casBasedBuilder(
                            setup.redis().connect(RedisCodec.of(StringCodec.UTF8, ByteArrayCodec.INSTANCE)))
                    .expirationAfterWrite(
                            ExpirationAfterWriteStrategy.basedOnTimeForRefillingBucketUpToMax(Duration.ofSeconds(10)))
                    .build()
                    .builder()
                    .build(setup.name(), () -> configuration);
            return gated(patience -> bucket.asBlocking().tryConsume(1, patience), setup);
        }
    },
    RETRIES("plain retries with `Retry-After`") {
        @Override
        Instance open(PartnerSetup setup) {
            return new RetryingInstance(http(setup));
        }
    };

    private final String text;

    PartnerContender(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /** Starts an instance. */
    abstract Instance open(PartnerSetup setup);

    private static Instance own(PartnerSetup setup, long maxRequests, Duration window, Map<String, String> more) {
        Map<String, Object> properties = new HashMap<>(more);
        properties.put("spring.data.redis.url", setup.redis().uri());
        properties.put("rate-limiter.store", "redis");
        properties.put("rate-limiter.key-prefix", setup.name());
        properties.put("rate-limiter.timeout", "1s");
        properties.put("rate-limiter.limits.partner.max-requests", maxRequests);
        properties.put("rate-limiter.limits.partner.window-size", window);
        properties.put("rate-limiter.clients.partner.hosts", setup.host());
        properties.put("rate-limiter.clients.partner.limits", "partner");
        properties.put("rate-limiter.clients.partner.max-wait", PartnerExperiment.PATIENCE);
        return new OwnInstance(properties, setup.http(), setup.host());
    }

    private static Instance gated(GatedInstance.Gate gate, PartnerSetup setup) {
        return new GatedInstance(gate, http(setup));
    }

    private static PartnerHttp http(PartnerSetup setup) {
        return new PartnerHttp(RestClient.builder(), setup.http(), setup.host());
    }
}
