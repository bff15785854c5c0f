package io.ratelimit.internal.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A request that Redis decides once at most. When a broken connection is there again, Lettuce sends unanswered commands
 * again, although Redis may have executed them; on a Cluster, cancelling them does not stop that. So a request that is
 * sent a second time carries a deadline of the past, and the script decides nothing.
 *
 * <p>An error that Redis answers, such as {@code MOVED}, says that it has not decided; after it the request may be sent
 * again. Thread-safe.
 */
final class UnrepeatedRequest {

    private final String[] keys;
    private final byte[] request;
    private volatile boolean unanswered;
    private volatile boolean repeated;

    UnrepeatedRequest(String[] keys, byte[] request) {
        this.keys = keys;
        this.request = request;
    }

    /** Returns whether it was sent again although Redis may have decided it, so that the reply says nothing. */
    boolean isRepeated() {
        return repeated;
    }

    /**
     * Returns whether Redis may have decided it and does not say: the reply is that of a repetition, the connection was lost or
     * closed, or Lettuce refused to send it again, as to a new master that is away, too.
     *
     * @param failure null if there is a reply
     */
    boolean isLost(@Nullable Throwable failure) {
        return repeated || (unanswered && failure != null && StoreFailures.isOfConnection(failure));
    }

    /**
     * Gives it up because the connection was lost, and returns the failure: one that Redis may have decided is lost. Of one that
     * waits to be sent, as after Redis answered that it lacks the script, nothing is decided, also if it is sent nevertheless.
     */
    synchronized RuntimeException giveUp() {
        if (unanswered || repeated) {
            return StoreFailures.lost();
        }
        EngineRequest.expire(request);
        return new StoreFailures.Unsent(StoreFailures.lost());
    }

    /**
     * Returns the arguments of a command that runs a script. Only the first key is added as a key, which a Cluster needs to
     * find the node. The codec would allocate a buffer for each further one.
     */
    CommandArgs<String, String> arguments(String script) {
        CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8) {
            @Override
            public void encode(ByteBuf buffer) {
                beforeSending();
                super.encode(buffer);
            }
        };
        arguments.add(script).add(keys.length).addKey(keys[0]);
        for (int i = 1; i < keys.length; i++) {
            arguments.add(keys[i].getBytes(StandardCharsets.UTF_8));
        }
        return arguments.add(request);
    }

    ByteArrayOutput<String, String> output() {
        return new ByteArrayOutput<>(StringCodec.UTF8) {
            @Override
            public void setError(ByteBuffer error) {
                unanswered = false;
                super.setError(error);
            }
        };
    }

    private synchronized void beforeSending() {
        if (unanswered) {
            repeated = true;
            EngineRequest.expire(request);
        }
        unanswered = true;
    }
}
