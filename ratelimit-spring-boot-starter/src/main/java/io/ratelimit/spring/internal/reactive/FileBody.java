package io.ratelimit.spring.internal.reactive;

import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferFactory;
import org.springframework.core.io.buffer.DataBufferUtils;
import reactor.core.publisher.Flux;

/**
 * Reads what a handler sends of a file. A server that copies it by itself tells only when the client has all of it, or cannot do
 * it at all.
 */
final class FileBody {

    private static final int CHUNK_BYTES = 8_192;

    private FileBody() {}

    static Flux<DataBuffer> of(Path file, long position, long count, DataBufferFactory buffers) {
        return DataBufferUtils.takeUntilByteCount(
                DataBufferUtils.readAsynchronousFileChannel(
                        () -> AsynchronousFileChannel.open(file, StandardOpenOption.READ),
                        position,
                        buffers,
                        CHUNK_BYTES),
                count);
    }
}
