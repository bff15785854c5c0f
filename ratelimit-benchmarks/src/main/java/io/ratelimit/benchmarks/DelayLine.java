package io.ratelimit.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * One direction of a connection. One thread reads and stamps what comes, another writes it on when its delay is over;
 * what is in flight meanwhile is not bounded, so the delay does not limit throughput.
 */
final class DelayLine {

    /** How late a parked thread wakes on an idle machine; it parks for that much less. */
    private static final long LATE_NANOS = 25_000;

    private static final class Chunk {

        final byte[] bytes;
        final long dueNanos;

        Chunk(byte[] bytes, long dueNanos) {
            this.bytes = bytes;
            this.dueNanos = dueNanos;
        }
    }

    private final Socket from;
    private final Socket to;
    private final long delayNanos;
    private final BlockingQueue<Chunk> inFlight = new LinkedBlockingQueue<>();

    private DelayLine(Socket from, Socket to, long delayNanos) {
        this.from = from;
        this.to = to;
        this.delayNanos = delayNanos;
    }

    static void start(Socket from, Socket to, long delayNanos) {
        DelayLine line = new DelayLine(from, to, delayNanos);
        new Thread(line::read, "reader").start();
        new Thread(line::write, "writer").start();
    }

    private void read() {
        byte[] buffer = new byte[1 << 16];
        try (from) {
            InputStream in = from.getInputStream();
            for (int length = in.read(buffer); length > 0; length = in.read(buffer)) {
                inFlight.add(new Chunk(Arrays.copyOf(buffer, length), System.nanoTime() + delayNanos));
            }
        } catch (IOException closed) {
            // the other direction has closed both
        } finally {
            inFlight.add(new Chunk(new byte[0], System.nanoTime()));
        }
    }

    private void write() {
        try (to) {
            OutputStream out = to.getOutputStream();
            for (Chunk next = inFlight.take(); next.bytes.length > 0; next = inFlight.take()) {
                await(next.dueNanos);
                out.write(next.bytes);
            }
        } catch (IOException closed) {
            // the other direction has closed both
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    private static void await(long dueNanos) {
        for (long left = dueNanos - System.nanoTime(); left > LATE_NANOS; left = dueNanos - System.nanoTime()) {
            LockSupport.parkNanos(left - LATE_NANOS);
        }
    }
}
