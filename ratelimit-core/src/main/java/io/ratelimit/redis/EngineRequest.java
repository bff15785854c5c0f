package io.ratelimit.redis;

import io.ratelimit.algorithm.Quota;
import io.ratelimit.internal.Amounts;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Encodes a {@link Batch} for {@code engine.lua}, which documents the layout. Not thread-safe. */
final class EngineRequest {

    private static final int BYTES_OF_LIMIT = Integer.BYTES + 1 + Long.BYTES;
    private static final int BYTES_OF_ENTRY = 1 + 2 * Integer.BYTES + Long.BYTES;
    private static final int BYTES_OF_CHARGE = Integer.BYTES + 3 * Long.BYTES;

    private final ByteBuffer buffer;

    private EngineRequest(int bytes) {
        this.buffer = ByteBuffer.allocate(bytes);
    }

    /** @param deadlineMicros the store's time of the earliest deadline of the calls */
    static byte[] of(Batch batch, long deadlineMicros) {
        EngineRequest request = new EngineRequest(bytes(batch));
        request.buffer.putLong(deadlineMicros);
        batch.limits.forEach(request::add);
        batch.groups.forEach(request::add);
        return request.buffer.array();
    }

    private static int bytes(Batch batch) {
        int bytes = Long.BYTES;
        for (LimitKeys limit : batch.limits) {
            bytes += limit.id.algorithm().label().length() + BYTES_OF_LIMIT;
        }
        for (BatchEntry entry : batch.groups) {
            bytes += BYTES_OF_ENTRY + (entry.states.length + entry.actual().length) * BYTES_OF_CHARGE;
        }
        return bytes;
    }

    private void add(LimitKeys limit) {
        buffer.putInt(limit.states.get(limit.states.size() - 1).index)
                .put(limit.id.algorithm().label().getBytes(StandardCharsets.US_ASCII))
                .put((byte) 0)
                .putLong(limit.id.windowMicros());
    }

    private void add(BatchEntry entry) {
        char code = entry.operation().code;
        buffer.put((byte) (entry.ordered ? Character.toLowerCase(code) : code))
                .putInt(entry.times())
                .putLong(entry.takenAtMicros())
                .putInt(entry.states.length + entry.actual().length);
        for (int i = 0; i < entry.states.length; i++) {
            add(entry, i, Amounts.of(entry.charges().get(i)));
        }
        for (int i = 0; i < entry.actual().length; i++) {
            add(entry, i, entry.actual()[i]);
        }
    }

    private void add(BatchEntry entry, int index, long amount) {
        Quota quota = entry.charges().get(index).limit().quota();
        buffer.putInt(entry.states[index].index)
                .putLong(quota.maxRequests())
                .putLong(quota.capacity())
                .putLong(amount);
    }
}
