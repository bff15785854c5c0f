package io.ratelimit.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisException;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
