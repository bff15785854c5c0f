package io.ratelimit.internal.redis;

import io.ratelimit.ApproximateCountContract;
import io.ratelimit.BanContract;
import io.ratelimit.BansOfPlansContract;
import io.ratelimit.ConcurrencyContract;
import io.ratelimit.EveryAlgorithmContract;
import io.ratelimit.ManyThreadsContract;
import io.ratelimit.MixedNumbersContract;
import io.ratelimit.QuotaStoriesContract;
import io.ratelimit.UniqueCountContract;
import io.ratelimit.UpToContract;
import org.junit.jupiter.api.Tag;

/** The whole contract of a store behind the layers of leases and shards. */
@Tag("slow")
class WholeContractBehindLayersTest extends LayersOverRedisTest
        implements EveryAlgorithmContract,
                MixedNumbersContract,
                QuotaStoriesContract,
                ConcurrencyContract,
                UpToContract,
                BanContract,
                BansOfPlansContract,
                UniqueCountContract,
                ApproximateCountContract,
                ManyThreadsContract {}
