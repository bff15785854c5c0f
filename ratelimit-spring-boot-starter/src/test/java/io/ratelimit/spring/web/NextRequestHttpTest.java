package io.ratelimit.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.OpenRequests;
import io.ratelimit.spring.testing.Stack;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.TestRedis;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client with one request at a time finds its slot free when it has the response, whatever the server still does. */
class NextRequestHttpTest {

    @Nested
    class Servlet extends OnStack {
        Servlet() {
            super(Stack.SERVLET, "rate-limiter.store=in-memory");
        }

        /** Netty ends such a response when the filters have. */
        @ParameterizedTest
        @ValueSource(strings = {"closed", "empty", "late-length", "own-closed", "own-length", "own-dispatch"})
        void isAdmittedIfTheServletHasEndedTheResponse(String kind) {
            HeldEnds.hold();

            assertThat(statuses("GET", "/next/slots/" + kind, 3)).doesNotContain(429);
        }

        @Test
        void theHeadersOfHeadAreAllOfItsResponse() {
            HeldEnds.hold();

            assertThat(statuses("HEAD", "/next/slots/text", 3)).containsExactly(200, 200, 200);
        }

        /** Of those that the application has answered, only Spring MVC tells. */
        @Test
        void anExceptionIsCountedByItsNameWhileItIsAnswered() {
            HeldEnds.hold();

            assertThat(statuses("GET", "/next/exceptions/throws", 3)).containsExactly(401, 401, 429);
        }
    }

    @Nested
    class ServletOnRedis extends OnStack {
        ServletOnRedis() {
            super(Stack.SERVLET, redis());
        }
    }

    @Nested
    @Tag("reactive")
    class Reactive extends OnStack {
        Reactive() {
            super(Stack.REACTIVE, "rate-limiter.store=in-memory");
        }
    }

    @Nested
    @Tag("reactive")
    class ReactiveOnRedis extends OnStack {
        ReactiveOnRedis() {
            super(Stack.REACTIVE, redis());
        }
    }

    private static String[] redis() {
        return new String[] {"spring.data.redis.url=" + TestRedis.uri(), "rate-limiter.key-prefix=" + UUID.randomUUID()
        };
    }

    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnStack {
        private final TestApp app;

        OnStack(Stack stack, String... store) {
            List<String> properties = new ArrayList<>(List.of(store));
            properties.addAll(List.of(
                    "rate-limiter.key=header:X-User",
                    "rate-limiter.limits.one.use-algo=concurrency",
                    "rate-limiter.limits.one.max-requests=1",
                    "rate-limiter.limits.one.window-size=10m",
                    "rate-limiter.routes.one.paths=/next/*/text,/next/*/stream,/next/*/writer,/next/*/closed,/next/*/empty,/next/*/late-length,/next/*/throws,"
                            + "/next/*/own-closed,/next/*/own-length,/next/*/own-dispatch",
                    "rate-limiter.routes.one.limits=one",
                    "rate-limiter.limits.failures.max-requests=2",
                    "rate-limiter.limits.failures.window-size=1h",
                    "rate-limiter.limits.failures.count=failures",
                    "rate-limiter.routes.failures.paths=/next/failures/*",
                    "rate-limiter.routes.failures.limits=failures",
                    "rate-limiter.limits.banning.max-requests=100",
                    "rate-limiter.limits.banning.window-size=1h",
                    "rate-limiter.limits.banning.count=401",
                    "rate-limiter.limits.banning.ban.after=2",
                    "rate-limiter.limits.banning.ban.within=1h",
                    "rate-limiter.limits.banning.ban.for=1h",
                    "rate-limiter.routes.banning.paths=/next/banning/*",
                    "rate-limiter.routes.banning.limits=banning",
                    "rate-limiter.limits.exceptions.max-requests=2",
                    "rate-limiter.limits.exceptions.window-size=1h",
                    "rate-limiter.limits.exceptions.count=WrongPasswordException,500",
                    "rate-limiter.routes.exceptions.paths=/next/exceptions/*",
                    "rate-limiter.routes.exceptions.limits=exceptions",
                    "rate-limiter.limits.tokens.max-requests=10000",
                    "rate-limiter.limits.tokens.window-size=1h",
                    "rate-limiter.routes.costing.paths=/next/costing/*",
                    "rate-limiter.routes.costing.limits=tokens,failures",
                    "rate-limiter.routes.costing.actual-cost=#request.attribute('tokens')"));
            app = TestApp.start(
                    stack, List.of(HeldEnds.of(stack), OpenRequests.of(stack)), properties.toArray(String[]::new));
            if (store.length == 2) {
                app.onRedis();
            }
        }

        @AfterEach
        void letGo() {
            HeldEnds.letGo();
            app.bean(OpenRequests.class).awaitNone();
        }

        @AfterAll
        void close() {
            app.close();
        }

        @ParameterizedTest
        @ValueSource(strings = {"text", "stream", "writer", "throws"})
        void isAdmittedWhileTheFirstIsNotQuiteDone(String kind) {
            HeldEnds.hold();

            assertThat(statuses("GET", "/next/slots/" + kind, 3)).doesNotContain(429);
        }

        @Test
        void whatDidNotFailIsNotCounted() {
            HeldEnds.hold();

            assertThat(statuses("GET", "/next/failures/text", 5)).containsOnly(200);
        }

        /** Its expression is evaluated when the filters have returned, because one of them may set the attribute. */
        @Test
        void whatItCostsMayBeKnownLater() {
            HeldEnds.hold();

            assertThat(statuses("GET", "/next/costing/text", 5)).containsOnly(200);
        }

        @Test
        void whatFailedIsCountedByTheNext() {
            HeldEnds.hold();

            assertThat(statuses("GET", "/next/failures/text?status=500", 3)).containsExactly(500, 500, 429);
        }

        @Test
        void aBanBeginsAfterTheLastFailureAndNotOneLater() {
            HeldEnds.hold();

            assertThat(statuses("GET", "/next/banning/text?status=401", 3)).containsExactly(401, 401, 429);
        }

        /** Sends each on a connection of its own, because the server reads no other request while the filters hold one. */
        final List<Integer> statuses(String method, String path, int requests) {
            return IntStream.range(0, requests)
                    .mapToObj(i -> status(HttpClient.newHttpClient(), method, path))
                    .toList();
        }

        private int status(HttpClient client, String method, String path) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + app.port() + path))
                    .version(HttpClient.Version.HTTP_1_1)
                    .method(method, BodyPublishers.noBody())
                    .header("X-User", method + " " + path)
                    .build();
            return client.sendAsync(request, BodyHandlers.ofString())
                    .orTimeout(15, TimeUnit.SECONDS)
                    .join()
                    .statusCode();
        }

        /** Each has the response whole before it sends the next request. */
        @Test
        @Tag("slow")
        void twoThousandInTurnAreNeverRefused() {
            HttpClient client = HttpClient.newHttpClient();
            List<String> paths = List.of("/next/slots/text", "/next/failures/text", "/next/costing/text");
            List<Integer> statuses = IntStream.range(0, 6_000)
                    .mapToObj(i -> status(client, "GET", paths.get(i % paths.size())))
                    .toList();

            assertThat(statuses).containsOnly(200);
        }
    }
}
