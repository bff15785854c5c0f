package io.ratelimit.spring.internal.reactive;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.mock.web.server.MockWebSession;
import org.springframework.web.server.ServerWebExchange;

/** Sessions of log-ins that are refused. */
class SentSessionTest {

    private static final String CONTEXT = "SPRING_SECURITY_CONTEXT";

    private final MockWebSession session = new MockWebSession();
    private final ServerWebExchange exchange =
            new SentSession(MockServerWebExchange.builder(MockServerHttpRequest.get("/"))
                    .session(session)
                    .build());

    @Test
    void endsIfALogInHasGivenItAnotherId() {
        sent();

        session.getAttributes().put(CONTEXT, "alice");
        session.changeSessionId().block();
        SentSession.endOther(exchange).block();

        assertThat(session.isExpired()).isTrue();
    }

    @Test
    void staysAfterALogOutAlthoughThatGivesItAnotherId() {
        session.getAttributes().put(CONTEXT, "alice");
        sent();

        session.getAttributes().remove(CONTEXT);
        session.changeSessionId().block();
        SentSession.endOther(exchange).block();

        assertThat(session.isExpired()).isFalse();
    }

    @Test
    void staysAsItWasSent() {
        sent();

        SentSession.endOther(exchange).block();

        assertThat(session.isExpired()).isFalse();
    }

    private void sent() {
        session.start();
        exchange.getSession().block();
    }
}
