package io.ratelimit.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Stands between a limiter and a Redis: replies get through not at once or not at all, and commands unless one is to be lost. */
public final class ReplyProxy implements AutoCloseable {

    private final int redisPort;
    private final ServerSocket server;
    private final AtomicBoolean losesNext = new AtomicBoolean();
    private final AtomicBoolean losesNextCommand = new AtomicBoolean();
    private final AtomicInteger came = new AtomicInteger();
    private volatile CountDownLatch held = new CountDownLatch(0);
    private volatile CountDownLatch lost = new CountDownLatch(0);

    public ReplyProxy(int redisPort) {
        this.redisPort = redisPort;
        try {
            this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        run("proxy-accept", this::accept);
    }

    public String uri() {
        return "redis://127.0.0.1:" + server.getLocalPort();
    }

    /** Cuts the connection when the next reply comes, which never gets through. */
    public void loseNextReply() {
        losesNext.set(true);
    }

    /** Cuts the connection when the next command comes, which Redis never gets. */
    public void loseNextCommand() {
        losesNextCommand.set(true);
    }

    /** The same, but cuts the connection only when the latch that is returned opens. */
    public CountDownLatch holdAndLoseNextCommand() {
        CountDownLatch latch = new CountDownLatch(1);
        lost = latch;
        loseNextCommand();
        return latch;
    }

    /** Holds all replies until the latch that is returned opens. */
    public CountDownLatch holdReplies() {
        CountDownLatch latch = new CountDownLatch(1);
        held = latch;
        return latch;
    }

    /** Returns how often replies have come so far, one or more at a time. The last are held if replies are. */
    public int came() {
        return came.get();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }

    private void accept() throws IOException {
        while (true) {
            Socket caller = server.accept();
            Socket redis = new Socket(InetAddress.getLoopbackAddress(), redisPort);
            run("proxy-commands", () -> pump(caller, redis, false));
            run("proxy-replies", () -> pump(redis, caller, true));
        }
    }

    private void pump(Socket from, Socket to, boolean replies) throws IOException {
        byte[] bytes = new byte[65_536];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            for (int n = in.read(bytes); n > 0; n = in.read(bytes)) {
                if (replies) {
                    CountDownLatch latch = held;
                    came.incrementAndGet();
                    await(latch);
                }
                if ((replies ? losesNext : losesNextCommand).compareAndSet(true, false)) {
                    await(lost);
                    return;
                }
                to.getOutputStream().write(bytes, 0, n);
            }
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException(interrupted);
        }
    }

    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    private static void run(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (IOException closed) {
                        Thread.currentThread().interrupt(); // one of the two ends is gone, and so is this pump
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }
}
