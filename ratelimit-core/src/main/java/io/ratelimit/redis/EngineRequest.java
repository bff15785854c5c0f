package io.ratelimit.redis;

import io.ratelimit.Limit;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** A {@link Batch} in the words of {@code engine.lua}, which tells them. Not thread-safe. */
final class EngineRequest {

    private static final int BYTES_OF_LIMIT = Integer.BYTES + 1 + 3 * Long.BYTES;
    private static final int BYTES_OF_RUN = 1 + 3 * Integer.BYTES + Long.BYTES;
    private static final int BYTES_OF_CHARGE = Integer.BYTES + Long.BYTES;

    private final ByteBuffer buffer;

    private EngineRequest(int mostBytes) {
        this.buffer = ByteBuffer.allocate(mostBytes);
    }

    /** @param deadlineMicros the store's time after which the first of the callers has gone */
    static byte[] of(Batch batch, long deadlineMicros) {
        EngineRequest request = new EngineRequest(mostBytes(batch));
        request.buffer.putLong(deadlineMicros);
        batch.limits.forEach(request::addLimit);
        request.addRuns(batch.groups);
        return Arrays.copyOf(request.buffer.array(), request.buffer.position());
    }

    private static int mostBytes(Batch batch) {
        int bytes = Long.BYTES;
        for (LimitKeys states : batch.limits) {
            bytes += states.limit.algorithm().label().length() + BYTES_OF_LIMIT;
        }
        for (BatchEntry group : batch.groups) {
            bytes += BYTES_OF_RUN + group.states.length * BYTES_OF_CHARGE;
        }
        return bytes;
    }

    private void addLimit(LimitKeys states) {
        Limit limit = states.limit;
        buffer.putInt(states.states.get(states.states.size() - 1).index)
                .put(limit.algorithm().label().getBytes(StandardCharsets.US_ASCII))
                .put((byte) 0)
                .putLong(limit.quota().maxRequests())
                .putLong(limit.quota().windowMicros())
                .putLong(limit.quota().capacity());
    }

    private void addRuns(List<BatchEntry> groups) {
        int start = 0;
        while (start < groups.size()) {
            BatchEntry first = groups.get(start);
            int length = 1;
            while (start + length < groups.size() && groups.get(start + length).repeats(first, length)) {
                length++;
            }
            addRun(first, length);
            start += length;
        }
    }

    private void addRun(BatchEntry first, int length) {
        buffer.put((byte) first.operation().code)
                .putInt(first.times())
                .putInt(length)
                .putLong(first.takenAtMicros())
                .putInt(first.states.length);
        for (int i = 0; i < first.states.length; i++) {
            buffer.putInt(first.states[i].index).putLong(first.charges().get(i).cost());
        }
    }
}
