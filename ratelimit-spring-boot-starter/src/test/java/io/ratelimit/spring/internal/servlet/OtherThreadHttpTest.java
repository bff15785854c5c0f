package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.TestRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Limited calls on threads that are not the request's, on Tomcat and Redis: while the request lasts and after it. */
class OtherThreadHttpTest {

    private static TestApp app;

    @RestController
    static class Endpoint {
        private static final List<String> NAMES = List.of("a", "b", "c", "d");
        private final ExecutorService others = Executors.newCachedThreadPool();
        private final ConcurrentLinkedQueue<Object> late = new ConcurrentLinkedQueue<>();
        private final CountDownLatch over = new CountDownLatch(1);
        private final ConcurrentLinkedQueue<Object> carried = new ConcurrentLinkedQueue<>();
        private volatile Mono<String> kept;
        private final CompletableFuture<String> gate = new CompletableFuture<>();
        private Endpoint self;

        void setSelf(Endpoint self) {
            this.self = self;
        }

        void goOn() {
            over.countDown();
        }

        void open() {
            gate.complete("open");
        }

        List<Object> carriedOn() {
            return List.copyOf(carried);
        }

        List<Object> late() {
            return List.copyOf(late);
        }

        @GetMapping("/parallel")
        public String parallel(@RequestParam String user) throws Exception {
            RequestAttributes request = RequestContextHolder.currentRequestAttributes();
            List<Callable<String>> calls = new ArrayList<>();
            for (String name : NAMES) {
                calls.add(() -> {
                    RequestContextHolder.setRequestAttributes(request);
                    try {
                        return self.part(name, user);
                    } finally {
                        RequestContextHolder.resetRequestAttributes();
                    }
                });
            }
            StringBuilder all = new StringBuilder();
            for (Future<String> part : others.invokeAll(calls)) {
                all.append(part.get());
            }
            return all.toString();
        }

        public String part(String name, String user) {
            return switch (name) {
                case "a" -> self.a(user);
                case "b" -> self.b(user);
                case "c" -> self.c(user);
                default -> self.d(user);
            };
        }

        @RateLimited(name = "a", maxRequests = "1000", key = "#user")
        public String a(String user) {
            return "a";
        }

        @RateLimited(name = "b", maxRequests = "1000", key = "#user")
        public String b(String user) {
            return "b";
        }

        @RateLimited(name = "c", maxRequests = "1000", key = "#user")
        public String c(String user) {
            return "c";
        }

        @RateLimited(name = "d", maxRequests = "1000", key = "#user")
        public String d(String user) {
            return "d";
        }

        @RateLimited(name = "late", maxRequests = "1000", key = "ip")
        public Mono<String> mono() {
            return Mono.just("mono");
        }

        @RateLimited(name = "later", maxRequests = "1000", key = "ip")
        public String plain() {
            return "plain";
        }

        @RateLimited(name = "outer", maxRequests = "1000", key = "global")
        public Mono<String> outer() {
            return Mono.fromFuture(gate).flatMap(open -> self.mono());
        }

        @RateLimited(name = "context", maxRequests = "1000", key = "global")
        public Mono<String> context() {
            return Mono.just(LocaleContextHolder.getLocale() + " " + RequestContextHolder.getRequestAttributes());
        }

        /** Answers at once; what it has called is subscribed to when the request is over. */
        @GetMapping("/kept")
        public String kept() {
            kept = self.context();
            return "at once";
        }

        /** Subscribes to it on a thread of nobody. */
        void subscribe() {
            kept.subscribeOn(Schedulers.single()).subscribe(carried::add, carried::add);
        }

        void forget() {
            carried.clear();
        }

        /** Answers at once, and makes a limited call in one that has begun when the request is over. */
        @GetMapping("/carried")
        public String carried() {
            self.outer().subscribe(carried::add, carried::add);
            return "at once";
        }

        /** Answers at once, and goes on when the request is over. */
        @GetMapping("/late")
        public String answersAtOnce() {
            RequestAttributes request = RequestContextHolder.currentRequestAttributes();
            Mono<String> mono = self.mono();
            others.execute(() -> {
                RequestContextHolder.setRequestAttributes(request);
                try {
                    over.await();
                    late.add(mono.block());
                    late.add(self.plain());
                } catch (Exception failed) {
                    late.add(failed);
                } finally {
                    RequestContextHolder.resetRequestAttributes();
                }
            });
            return "at once";
        }
    }

    @BeforeAll
    static void start() {
        app = TestApp.start(
                        List.of(Endpoint.class),
                        "spring.data.redis.url=" + TestRedis.uri(),
                        "rate-limiter.key-prefix=" + UUID.randomUUID())
                .onRedis();
        app.bean(Endpoint.class).setSelf(app.bean(Endpoint.class));
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @Test
    void callsInParallelLoseNoHeader() {
        List<CompletableFuture<Answer>> answers = IntStream.range(0, 100)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> app.get("/parallel?user=u" + i)))
                .toList();

        assertThat(answers).allSatisfy(answer -> {
            assertThat(answer.join().body()).isEqualTo("abcd");
            assertThat(answer.join().header("RateLimit")).contains("\"a\";", "\"b\";", "\"c\";", "\"d\";");
        });
    }

    @Test
    void whatIsAdmittedAfterTheRequestIsOverDoesNotFail() {
        assertThat(app.get("/late").body()).isEqualTo("at once");
        for (int i = 0; i < 20; i++) {
            app.get("/parallel?user=other"); // reuses the request
        }
        Endpoint endpoint = app.bean(Endpoint.class);

        endpoint.goOn();

        await().until(() -> endpoint.late().size() == 2);
        assertThat(endpoint.late()).containsExactly("mono", "plain");
    }

    /** Of a request that is over nothing can be asked: the call that it began has none. */
    @Test
    void whatBeganInTheRequestDoesNotFailAfterIt() {
        app.bean(Endpoint.class).forget();
        assertThat(app.get("/carried").body()).isEqualTo("at once");
        for (int i = 0; i < 20; i++) {
            app.get("/parallel?user=other");
        }
        Endpoint endpoint = app.bean(Endpoint.class);

        endpoint.open();

        await().until(() -> !endpoint.carriedOn().isEmpty());
        assertThat(endpoint.carriedOn()).containsExactly("mono");
    }

    /** A request that is over has no locale, and its user has no say in what others subscribe to. */
    @Test
    void whatIsSubscribedToAfterTheRequestHasNothingOfIt() {
        assertThat(app.get("/kept").body()).isEqualTo("at once");
        for (int i = 0; i < 20; i++) {
            app.get("/parallel?user=other");
        }
        Endpoint endpoint = app.bean(Endpoint.class);
        endpoint.forget();

        endpoint.subscribe();

        await().until(() -> !endpoint.carriedOn().isEmpty());
        assertThat(endpoint.carriedOn()).containsExactly(Locale.getDefault() + " null");
    }
}
