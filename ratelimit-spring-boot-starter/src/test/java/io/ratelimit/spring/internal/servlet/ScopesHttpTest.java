package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.SlowStore;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import jakarta.annotation.PreDestroy;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSessionAttributeListener;
import jakarta.servlet.http.HttpSessionBindingEvent;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.annotation.RequestScope;
import org.springframework.web.context.annotation.SessionScope;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.filter.OncePerRequestFilter;
import reactor.core.publisher.Mono;

/** Scopes of limited methods, on Tomcat, whose decision comes when the handler's thread has left the request, which goes on. */
class ScopesHttpTest {

    private static final Queue<String> EVENTS = new ConcurrentLinkedQueue<>();

    private static TestApp app;

    @RequestScope
    static class Visit {
        String id() {
            return "visit " + System.identityHashCode(this);
        }

        @PreDestroy
        void destroy() {
            EVENTS.add("destroyed " + id());
        }
    }

    @SessionScope
    static class Cart {
        private int items;

        int add() {
            return ++items;
        }
    }

    @RestController
    static class Limited {
        private final Visit visit;
        private final Cart cart;

        Limited(Visit visit, Cart cart) {
            this.visit = visit;
            this.cart = cart;
        }

        @RateLimited(name = "mono", maxRequests = "1000", key = "global")
        @GetMapping("/controller/mono/{scope}")
        public Mono<String> mono(@PathVariable String scope) {
            return Mono.just(use(scope));
        }

        @RateLimited(name = "stage", maxRequests = "1000", key = "global")
        @GetMapping("/controller/stage/{scope}")
        public CompletableFuture<String> stage(@PathVariable String scope) {
            return CompletableFuture.completedFuture(use(scope));
        }

        private String use(String scope) {
            assertThat(Thread.currentThread().getName()).startsWith("rate-limited-");
            String used = switch (scope) {
                case "request" -> visit.id();
                case "session" -> "cart of " + cart.add();
                default -> {
                    RequestAttributes request = RequestContextHolder.currentRequestAttributes();
                    request.setAttribute("left", "by the method", RequestAttributes.SCOPE_REQUEST);
                    yield "attribute";
                }
            };
            EVENTS.add("returned");
            return used;
        }
    }

    @RestController
    static class Calling {
        private final Limited service;
        private final Visit visit;

        Calling(Limited service, Visit visit) {
            this.service = service;
            this.visit = visit;
        }

        @GetMapping("/service/mono/{scope}")
        Mono<String> mono(@PathVariable String scope) {
            return service.mono(scope).doOnNext(used -> EVENTS.add("answered"));
        }

        @GetMapping("/service/stage/{scope}")
        CompletableFuture<String> stage(@PathVariable String scope) {
            return service.stage(scope).whenComplete((used, failure) -> EVENTS.add("answered"));
        }

        @GetMapping("/used/mono")
        Mono<String> usedBefore() {
            String before = visit.id();
            return service.mono("request").map(id -> id.equals(before) ? "same" : "another");
        }

        @GetMapping("/used/stage")
        CompletableFuture<String> usedBeforeStage() {
            String before = visit.id();
            return service.stage("request").thenApply(id -> id.equals(before) ? "same" : "another");
        }
    }

    /** Spring Session writes what is set, when the response is. */
    static class SessionWrites implements HttpSessionAttributeListener {
        @Override
        public void attributeReplaced(HttpSessionBindingEvent event) {
            EVENTS.add("written");
        }
    }

    /** Lets the store answer when the thread has left, and shows what the method has left when the request is dispatched again. */
    static class Leaving extends OncePerRequestFilter {
        private final SlowStore store;

        Leaving(SlowStore store) {
            this.store = store;
        }

        @Override
        protected boolean shouldNotFilterAsyncDispatch() {
            return false;
        }

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
                throws ServletException, IOException {
            if (request.getDispatcherType() == DispatcherType.ASYNC) {
                response.setHeader("Left", (String) request.getAttribute("left"));
            }
            chain.doFilter(request, response);
            if (request.getDispatcherType() == DispatcherType.REQUEST) {
                store.answer(1);
            }
        }
    }

    @BeforeAll
    static void start() {
        app = TestApp.start(List.of(
                SlowStore.class,
                Visit.class,
                Cart.class,
                Limited.class,
                Calling.class,
                Leaving.class,
                SessionWrites.class));
    }

    @AfterAll
    static void stop() {
        app.close();
    }

    @BeforeEach
    void forget() {
        EVENTS.clear();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/service/mono", "/service/stage", "/controller/mono", "/controller/stage"})
    void theMethodHasTheScopesOfItsRequest(String path) {
        assertThat(ok(path + "/request").body()).startsWith("visit ");
        assertThat(ok(path + "/session").body()).isEqualTo("cart of 1");
        assertThat(ok(path + "/attribute").header("Left")).isEqualTo("by the method");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/used/mono", "/used/stage"})
    void aBeanOfTheRequestIsThatOfItsHandler(String path) {
        assertThat(ok(path).body()).isEqualTo("same");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/service/mono", "/service/stage"})
    void aBeanThatTheMethodMakesIsDestroyedAfterIt(String path) {
        String destroyed = "destroyed " + ok(path + "/request").body();

        await().until(() -> EVENTS.contains(destroyed));
        ok(path + "/attribute");
        assertThat(EVENTS)
                .containsSubsequence("returned", "answered", destroyed)
                .containsOnlyOnce(destroyed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/service/mono", "/service/stage"})
    void aBeanOfTheSessionIsSetBeforeTheResponseIsThere(String path) {
        ok(path + "/session");

        assertThat(EVENTS).containsSubsequence("written", "answered");
    }

    private static Answer ok(String path) {
        Answer answer = app.get(path);
        assertThat(answer.status()).isEqualTo(200);
        return answer;
    }
}
