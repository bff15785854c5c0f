package io.ratelimit.internal.redis;

import io.ratelimit.Ban;
import io.ratelimit.CalendarPeriod;
import io.ratelimit.Charge;
import io.ratelimit.Quota;
import io.ratelimit.Window;
import io.ratelimit.internal.call.Amounts;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Encodes a {@link Batch} for {@code engine.lua}, which documents the layout. Not thread-safe. */
final class EngineRequest {

    private static final int BYTES_OF_LIMIT = Integer.BYTES + 1 + Long.BYTES;
    private static final int BYTES_OF_ENTRY = 1 + 2 * Integer.BYTES + Long.BYTES;
    private static final int BYTES_OF_ROW = Integer.BYTES + 3 * Long.BYTES;
    private static final int BYTES_OF_PERIODS = 4 * Long.BYTES;

    private final ByteBuffer buffer;
    private int nextPeriods;

    private EngineRequest(int bytes, int bytesOfPeriods) {
        this.buffer = ByteBuffer.allocate(bytes + bytesOfPeriods);
        this.nextPeriods = bytes + 1;
    }

    /** @param deadlineMicros the store's time of the earliest deadline of the calls */
    static byte[] of(Batch batch, long deadlineMicros) {
        EngineRequest request = new EngineRequest(bytes(batch), bytesOfPeriods(batch));
        request.buffer.putLong(deadlineMicros);
        batch.limits.forEach(request::add);
        batch.entries.forEach(request::add);
        batch.limits.forEach(limit -> request.addPeriods(limit, deadlineMicros));
        return request.buffer.array();
    }

    /** Sets a deadline of the past, so that the request decides nothing. */
    static void expire(byte[] request) {
        ByteBuffer.wrap(request).putLong(1);
    }

    private static int bytes(Batch batch) {
        int bytes = Long.BYTES;
        for (Batch.Keys limit : batch.limits) {
            bytes += limit.fragment().length() + BYTES_OF_LIMIT;
        }
        for (BatchEntry entry : batch.entries) {
            bytes += BYTES_OF_ENTRY + rows(entry) * BYTES_OF_ROW;
        }
        return bytes;
    }

    private static int bytesOfPeriods(Batch batch) {
        int bytes = 0;
        for (Batch.Keys limit : batch.limits) {
            bytes += limit.ofPeriods() ? BYTES_OF_PERIODS : 0;
        }
        return bytes;
    }

    private void add(Batch.Keys limit) {
        buffer.putInt(limit.keys.get(limit.keys.size() - 1).index)
                .put(limit.fragment().getBytes(StandardCharsets.US_ASCII))
                .put((byte) 0)
                .putLong(limit.ofPeriods() ? nextPeriods : code(limit.id.window()));
        nextPeriods += limit.ofPeriods() ? BYTES_OF_PERIODS : 0;
    }

    /** Returns the length of a window or, if it is divided, of its parts and their number in less than 2^53. */
    private static long code(Window window) {
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(window.buckets());
        return window.buckets() == 1 ? window.micros() : ((window.partMicros() << bits) + window.buckets()) * 16 + bits;
    }

    /** Adds the periods around that time: the store's clock, which is known by the last reply, may be over an edge already. */
    private void addPeriods(Batch.Keys limit, long aboutMicros) {
        if (limit.ofPeriods()) {
            CalendarPeriod period = limit.id.window().period().orElseThrow();
            for (int later = -1; later <= 2; later++) {
                buffer.putLong(period.startMicros(aboutMicros, later));
            }
        }
    }

    private void add(BatchEntry entry) {
        buffer.put((byte) entry.code())
                .putInt(entry.times())
                .putLong(entry.takenAtMicros())
                .putInt(rows(entry));
        for (int i = 0; i < entry.keys.length; i++) {
            Quota quota = entry.charges().get(i).limit().quota();
            add(
                    entry.keys[i].index,
                    quota.maxRequests(),
                    quota.capacity(),
                    Amounts.of(entry.charges().get(i)));
            Batch.Key ban = entry.bans == null ? null : entry.bans[i];
            if (ban != null) {
                add(ban.index, entry, entry.charges().get(i).limit().ban().orElseThrow());
            }
        }
        for (int i = 0; i < entry.actual().length; i++) {
            add(entry.keys[i].index, entry.resetAfterMicros()[i], entry.freesOwnAlone(i) ? 1 : 0, entry.actual()[i]);
        }
    }

    /** Returns how many rows are sent: records of the layout of a charge. */
    private static int rows(BatchEntry entry) {
        int rows = entry.keys.length + entry.actual().length;
        if (entry.bans != null) {
            for (Charge charge : entry.charges()) {
                rows += rowsOf(charge.limit().ban());
            }
        }
        return rows;
    }

    /** Returns how many rows encode a ban: one, and one for each three lengths. */
    static int rowsOf(Optional<Ban> ban) {
        return ban.map(numbers -> 1 + (numbers.lengthsMicros().size() + 2) / 3).orElse(0);
    }

    private void add(int index, BatchEntry entry, Ban ban) {
        List<Long> lengths = ban.lengthsMicros();
        boolean counts = !ban.countsFailures() || entry.operation() == Operation.FAIL;
        buffer.putInt(index)
                .putLong(counts ? ban.after() : 0)
                .putLong(ban.withinMicros())
                .putLong(lengths.size());
        for (int i = 0; i < lengths.size(); i += 3) {
            buffer.putInt(index);
            for (int j = i; j < i + 3; j++) {
                buffer.putLong(j < lengths.size() ? lengths.get(j) : 0);
            }
        }
    }

    private void add(int index, long first, long second, long amount) {
        buffer.putInt(index).putLong(first).putLong(second).putLong(amount);
    }
}
