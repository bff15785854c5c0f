package io.ratelimit.spring.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.timeout.IdleStateEvent;
import io.ratelimit.redis.RedisConnections;
import io.ratelimit.spring.internal.redis.SilentConnectionCloser.Watch;
import io.ratelimit.testing.RedisSentinelProcess;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

class SilentConnectionCloserTest {

    private static final Duration LONGEST = Duration.ofSeconds(3);

    private final AtomicLong nanos = new AtomicLong();
    private final Watch watch = new Watch(LONGEST, nanos::get);
    private final EmbeddedChannel channel = new EmbeddedChannel(watch);

    @Test
    void aConnectionThatAnswersNothingIsClosed() {
        channel.writeOutbound("PING");
        nothingIsReadFor(LONGEST.minusNanos(1));
        assertThat(channel.isOpen()).isTrue();

        channel.writeOutbound("PING");
        nothingIsReadFor(Duration.ofNanos(1));

        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aConnectionOnWhichNothingIsAskedStaysOpen() {
        nothingIsReadFor(Duration.ofHours(1));
        channel.writeOutbound("PING");
        channel.writeInbound("PONG");
        nothingIsReadFor(Duration.ofHours(1));

        channel.writeOutbound("PING");
        nothingIsReadFor(Duration.ofMillis(1));

        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void whatTheApplicationCustomizesStays() {
        AtomicReference<Channel> customized = new AtomicReference<>();
        NettyCustomizer application = new NettyCustomizer() {
            @Override
            public void afterChannelInitialized(Channel initialized) {
                customized.set(initialized);
            }
        };
        EmbeddedChannel plain = new EmbeddedChannel();

        new SilentConnectionCloser(application, Duration.ofMillis(100)).afterChannelInitialized(plain);

        assertThat(customized.get()).isSameAs(plain);
        assertThat(plain.pipeline().get(Watch.class)).isNotNull();
    }

    /** A call that may wait for 15 s is not failed after 3 s by the end of its connection. */
    @ParameterizedTest
    @CsvSource({"100, 3000", "3000, 3000", "15000, 15000"})
    void aConnectionMayBeSilentForAsLongAsACallMayWait(long timeoutMillis, long longestMillis) {
        EmbeddedChannel plain = new EmbeddedChannel();

        new SilentConnectionCloser(new NettyCustomizer() {}, Duration.ofMillis(timeoutMillis))
                .afterChannelInitialized(plain);

        assertThat(plain.pipeline().get(Watch.class).getReaderIdleTimeInMillis())
                .isEqualTo(longestMillis);
    }

    @Tag("slow")
    @Test
    void theMasterThatTakesOverFromOneThatHangsIsFound() throws Exception {
        try (RedisSentinelProcess redis = RedisSentinelProcess.start().noticingSoon()) {
            RedisSentinelConfiguration place = Places.of(redis);
            try (LimiterConnectionFactory factory = LimiterConnectionFactory.like(
                    new LettuceConnectionFactory(place), Duration.ofMillis(100), refused -> {})) {
                RedisConnections connections = factory.connect().forLimiter();
                await().ignoreExceptions().until(() -> isWritten(connections));

                redis.master().signal("STOP");

                await().ignoreExceptions().until(() -> isWritten(connections));
            } finally {
                redis.master().signal("CONT");
            }
        }
    }

    private void nothingIsReadFor(Duration time) {
        nanos.addAndGet(time.toNanos());
        watch.channelIdle(channel.pipeline().context(watch), IdleStateEvent.READER_IDLE_STATE_EVENT);
    }

    private static boolean isWritten(RedisConnections connections) throws Exception {
        return "OK".equals(connections.commands().set("silent", "1").get(200, TimeUnit.MILLISECONDS));
    }
}
