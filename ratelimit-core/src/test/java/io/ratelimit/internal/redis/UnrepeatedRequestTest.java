package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisException;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** Whether Redis may have decided a request whose command has failed. */
class UnrepeatedRequestTest {

    private final RedisException rejected = new RedisException("Currently not connected. Commands are rejected.");

    private final UnrepeatedRequest request = new UnrepeatedRequest(new String[] {"key"}, new byte[64]);

    @Test
    void oneThatWasNeverSentIsNotLost() {
        assertThat(request.isLost(rejected)).isFalse();
    }

    @Test
    void oneThatIsRejectedAfterItWasSentIsLost() {
        send();

        assertThat(request.isLost(rejected)).isTrue();
        assertThat(request.isLost(null)).isFalse();
    }

    /** What Lettuce 7 says where Lettuce 6 sends again, and what the network says. */
    @Test
    void oneWhoseConnectionIsLostIsLost() {
        RedisException disconnected = new RedisException("Connection disconnected");
        assertThat(request.isLost(disconnected)).isFalse();
        send();

        assertThat(request.isLost(disconnected)).isTrue();
        assertThat(request.isLost(new ClosedChannelException())).isTrue();
        assertThat(request.isLost(new CancellationException())).isTrue();
        assertThat(request.isLost(new IllegalStateException("unreadable"))).isFalse();
    }

    @Test
    void oneThatRedisHasAnsweredByAnErrorIsNotLost() {
        send();
        request.output().setError(ByteBuffer.wrap("MOVED 1 127.0.0.1:7000".getBytes(StandardCharsets.UTF_8)));

        assertThat(request.isLost(rejected)).isFalse();
    }

    @Test
    void oneThatWasSentTwiceIsLostWhateverTheReply() {
        send();
        send();

        assertThat(request.isLost(null)).isTrue();
    }

    private void send() {
        request.arguments("script").encode(Unpooled.buffer());
    }
}
