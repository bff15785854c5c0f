package io.ratelimit.spring.internal.redis;

import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Closes a connection on which commands were sent and Redis has answered nothing for 3 to 6 seconds, so that Lettuce
 * connects anew. A host that hangs or has vanished does not end its connections, and Lettuce asks Sentinel for the
 * master only when it connects. A connection on which no command waits for its answer stays open. A timeout of more than
 * 3 seconds takes their place, because a connection that is closed fails the calls that still wait on it.
 *
 * @param application what the application's client resources customize
 * @param timeout how long a call may wait for Redis
 */
record SilentConnectionCloser(NettyCustomizer application, Duration timeout) implements NettyCustomizer {

    private static final Duration LEAST = Duration.ofSeconds(3);

    @Override
    public void afterBootstrapInitialized(Bootstrap bootstrap) {
        application.afterBootstrapInitialized(bootstrap);
    }

    @Override
    public void afterChannelInitialized(Channel channel) {
        application.afterChannelInitialized(channel);
        channel.pipeline().addFirst(new Watch(longest(), System::nanoTime));
    }

    private Duration longest() {
        return timeout.compareTo(LEAST) > 0 ? timeout : LEAST;
    }

    /** Watches one connection; used by its event loop only. */
    static final class Watch extends IdleStateHandler {

        private final long longestNanos;
        private final LongSupplier nanoTime;
        private boolean unanswered;
        private long unansweredSinceNanos;

        Watch(Duration longest, LongSupplier nanoTime) {
            super(longest.toMillis(), 0, 0, TimeUnit.MILLISECONDS);
            this.longestNanos = longest.toNanos();
            this.nanoTime = nanoTime;
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise written) throws Exception {
            if (!unanswered) {
                unanswered = true;
                unansweredSinceNanos = nanoTime.getAsLong();
            }
            super.write(context, message, written);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
            unanswered = false;
            super.channelRead(context, message);
        }

        /** Runs when nothing was read for that long, and again after each such time. */
        @Override
        protected void channelIdle(ChannelHandlerContext context, IdleStateEvent event) {
            if (unanswered && nanoTime.getAsLong() - unansweredSinceNanos >= longestNanos) {
                context.close();
            }
        }
    }
}
