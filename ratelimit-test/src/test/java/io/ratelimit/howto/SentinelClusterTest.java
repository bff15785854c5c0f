package io.ratelimit.howto;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.data.redis.RedisProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** The properties of the page; FailoverTest of ratelimit-core shows what they lead to. */
@HowTo("sentinel-cluster")
class SentinelClusterTest {

    @Test
    void springBootReadsThem(@Autowired Environment environment) {
        RedisProperties redis = Binder.get(environment)
                .bind("spring.data.redis", RedisProperties.class)
                .get();

        assertThat(redis.getSentinel().getMaster()).isEqualTo("mymaster");
        assertThat(redis.getSentinel().getNodes()).hasSize(3);
        assertThat(redis.getCluster().getNodes()).hasSize(3);
        assertThat(redis.getLettuce().getCluster().getRefresh().isAdaptive()).isTrue();
    }
}
