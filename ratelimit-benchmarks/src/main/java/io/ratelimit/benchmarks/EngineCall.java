package io.ratelimit.benchmarks;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ByteArrayOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One EVALSHA of this library's engine script, as {@link WireTap} heard it. */
final class EngineCall {

    /** It is sent again and again, long after the caller that the library had in mind would have gone. */
    private static final long NO_DEADLINE = 0;

    private final List<byte[]> words;

    EngineCall(CommandArgs<?, ?> args) {
        this.words = words(args);
        ByteBuffer.wrap(words.get(words.size() - 1)).putLong(NO_DEADLINE);
    }

    RedisFuture<byte[]> send(RedisAsyncCommands<String, String> commands) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
        words.forEach(args::add);
        return commands.dispatch(CommandType.EVALSHA, new ByteArrayOutput<>(StringCodec.UTF8), args);
    }

    /** The number of its keys, which follows the script. */
    int keys() {
        return Integer.parseInt(new String(words.get(1), StandardCharsets.US_ASCII));
    }

    /** Whether the engine decided at all. What it decided is for this library to read. */
    static boolean wasDecided(byte[] reply) {
        return reply.length > Long.BYTES;
    }

    /** As they go over the wire: each its length, and itself. */
    private static List<byte[]> words(CommandArgs<?, ?> args) {
        ByteBuf wire = Unpooled.buffer();
        args.encode(wire);
        List<byte[]> words = new ArrayList<>();
        while (wire.isReadable()) {
            int lineEnd = wire.indexOf(wire.readerIndex(), wire.writerIndex(), (byte) '\r');
            String length =
                    wire.toString(wire.readerIndex() + 1, lineEnd - wire.readerIndex() - 1, StandardCharsets.US_ASCII);
            byte[] word = new byte[Integer.parseInt(length)];
            wire.readerIndex(lineEnd + 2).readBytes(word).skipBytes(2);
            words.add(word);
        }
        return words;
    }
}
