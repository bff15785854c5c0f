package io.ratelimit.spring.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.DefaultEventLoop;
import io.ratelimit.testing.RedisProcess;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The first attempts to connect, and the calls that come before there is a connection. */
class FirstConnectionTest {

    private static final Duration TIMEOUT = Duration.ofMillis(100);

    private final ClientResources resources = ClientResources.builder()
            .nettyCustomizer(new NettyCustomizer() {
                @Override
                public void afterBootstrapInitialized(Bootstrap bootstrap) {
                    attempt.run();
                }
            })
            .build();
    private volatile Runnable attempt = () -> {};

    @AfterEach
    void close() {
        resources.shutdown(0, 2, TimeUnit.SECONDS);
    }

    @Test
    void anErrorOfTheJvmIsNotTheLastAttempt() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        try (RedisProcess redis = RedisProcess.start();
                LettuceConnections connections = connections(redis.port(), () -> {
                    if (attempts.getAndIncrement() == 0) {
                        throw new NoClassDefFoundError("chosen by the test");
                    }
                })) {
            assertThatCode(connections::connect).doesNotThrowAnyException();

            assertThat(connections.commands()).isNotNull();
        }
    }

    /** Such as one of several Sentinels that do not answer. There are more calls than could wait one after the other. */
    @Test
    void callsDoNotWaitForAnAttemptThatTakesLong() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        try (LettuceConnections connections = connections(1, () -> await(end))) {
            Thread connecting = new Thread(() -> connect(connections));
            connecting.start();
            Thread calls = new Thread(() -> {
                for (int i = 0; i < 100; i++) {
                    connections.firstAttempt().await();
                }
            });
            calls.setDaemon(true);
            calls.start();

            Awaitility.await().until(() -> !calls.isAlive());
            end.countDown();
            connecting.interrupt();
            connecting.join();
        }
    }

    @Test
    void threadsThatMustNotBlockDoNotWaitAtAll() {
        DefaultEventLoop netty = new DefaultEventLoop();
        Scheduler reactor = Schedulers.newParallel("non-blocking");
        try {
            Awaitility.await().until(() -> doesNotWait(netty));
            Awaitility.await().until(() -> doesNotWait(reactor::schedule));
        } finally {
            reactor.dispose();
            netty.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        }
    }

    /** False, too, if the machine stands still for as long as calls wait. */
    private static boolean doesNotWait(Executor thread) {
        FirstAttempt thatNeverEnds = new FirstAttempt();
        return CompletableFuture.supplyAsync(
                        () -> {
                            long startNanos = System.nanoTime();
                            thatNeverEnds.await();
                            return System.nanoTime() - startNanos < LimiterClientSettings.CONNECT_TIMEOUT.toNanos();
                        },
                        thread)
                .join();
    }

    private static void connect(LettuceConnections connections) {
        try {
            connections.connect();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Connects to that port; each attempt runs the action first. */
    private LettuceConnections connections(int port, Runnable attempt) {
        this.attempt = attempt;
        return new LettuceConnections(
                new LettuceConnectionFactory(
                        new RedisStandaloneConfiguration("127.0.0.1", port),
                        LettuceClientConfiguration.builder()
                                .clientResources(resources)
                                .build()),
                TIMEOUT);
    }

    private static void await(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }
}
