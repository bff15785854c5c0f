package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.RateLimited;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.graphql.data.federation.EntityMapping;
import org.springframework.graphql.data.method.annotation.BatchMapping;
import org.springframework.graphql.data.method.annotation.QueryMapping;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.rsocket.annotation.ConnectMapping;
import org.springframework.messaging.rsocket.service.RSocketExchange;
import org.springframework.messaging.simp.annotation.SubscribeMapping;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.service.annotation.GetExchange;

/** An annotation on a controller limits what its clients call, however they do. */
class DeclaredLimitTest {

    interface Exchanged {
        @RSocketExchange("x")
        String socket();

        @GetExchange("/x")
        String http();
    }

    @Controller
    @RateLimited
    static class Mapped implements Exchanged {

        @Override
        public String socket() {
            return "";
        }

        @Override
        public String http() {
            return "";
        }

        @GetMapping("/get")
        public String get() {
            return "";
        }

        @MessageMapping("m")
        public String message() {
            return "";
        }

        @SubscribeMapping("s")
        public String subscription() {
            return "";
        }

        @ConnectMapping
        public void connection() {}

        @QueryMapping
        public String query() {
            return "";
        }

        @BatchMapping
        public String batch() {
            return "";
        }

        @EntityMapping
        public String entity() {
            return "";
        }

        public String helper() {
            return "";
        }
    }

    @ParameterizedTest
    @CsvSource({
        "socket, true",
        "http, true",
        "get, true",
        "message, true",
        "subscription, true",
        "connection, true",
        "query, true",
        "batch, true",
        "entity, true",
        "helper, false"
    })
    void limitsWhatIsMapped(String name, boolean limited) {
        Method method = Arrays.stream(Mapped.class.getDeclaredMethods())
                .filter(each -> each.getName().equals(name))
                .findFirst()
                .orElseThrow();
        assertThat(DeclaredLimit.of(method, Mapped.class)).hasSize(limited ? 1 : 0);
    }

    abstract static class Listed {
        @GetMapping("/list")
        protected String list() {
            return "";
        }
    }

    @Controller
    @RateLimited
    static class Orders extends Listed {}

    @Test
    void anInheritedHandlerThatIsNotPublicBelongsToTheClassThatIsAnnotated() throws Exception {
        assertThat(DeclaredLimit.of(Listed.class.getDeclaredMethod("list"), Orders.class))
                .singleElement()
                .satisfies(limit -> assertThat(limit.owner()).isEqualTo(Orders.class));
    }
}
