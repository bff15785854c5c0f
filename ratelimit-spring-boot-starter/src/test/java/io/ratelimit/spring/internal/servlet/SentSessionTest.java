package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpSession;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;

/** Sessions of log-ins that are refused. */
class SentSessionTest {

    private static final String CONTEXT = HttpSessionSecurityContextRepository.SPRING_SECURITY_CONTEXT_KEY;

    private final MockHttpServletRequest request = new MockHttpServletRequest();

    @Test
    void endsIfTheUserIsChangedInTheContextThatItHas() {
        SecurityContext half = context("half");
        MockHttpSession session = sent(half);

        half.setAuthentication(new TestingAuthenticationToken("alice", "", "all"));
        SentSession.endOther(request);

        assertThat(session.isInvalid()).isTrue();
    }

    @Test
    void endsIfSomebodyIsLetInUnderTheSameId() {
        MockHttpSession session = sent(null);

        session.setAttribute(CONTEXT, context("alice"));
        SentSession.endOther(request);

        assertThat(session.isInvalid()).isTrue();
    }

    @Test
    void endsIfItHasAnotherId() {
        MockHttpSession session = sent(null);

        request.changeSessionId();
        SentSession.endOther(request);

        assertThat(session.isInvalid()).isTrue();
    }

    @Test
    void endsIfNoneWasSent() {
        SentSession.remember(request);

        MockHttpSession session = (MockHttpSession) request.getSession();
        SentSession.endOther(request);

        assertThat(session.isInvalid()).isTrue();
    }

    /** Its context may have any name in the session. */
    @Test
    void endsIfItBeganSinceOrHasAnotherIdThoughNobodyIsKnownInIt() {
        SentSession.remember(request);
        MockHttpSession begun = (MockHttpSession) request.getSession();
        SentSession.endNew(request);
        assertThat(begun.isInvalid()).isTrue();

        MockHttpServletRequest next = new MockHttpServletRequest();
        MockHttpSession entered = (MockHttpSession) next.getSession();
        SentSession.remember(next);
        SentSession.endNew(next);
        assertThat(entered.isInvalid()).isFalse();
        next.changeSessionId();
        SentSession.endNew(next);
        assertThat(entered.isInvalid()).isTrue();
    }

    /** Its store may be away, or slow, and the refusal be one of a flood. */
    @Test
    void isNotAskedForByARefusalBeforeAnybodyMayLogIn() {
        HttpServletRequest early = new MockHttpServletRequest() {
            @Override
            public HttpSession getSession(boolean create) {
                throw new IllegalArgumentException("no session is asked for");
            }
        };

        assertThatCode(() -> SentSession.endNew(early)).doesNotThrowAnyException();
    }

    /** Of two log-ins that are refused at once, both with this session. */
    @Test
    void mayBeEndedByAnotherRequest() {
        SentSession.remember(request);
        request.setSession(new MockHttpSession() {
            @Override
            public void invalidate() {
                throw new IllegalStateException("ended already");
            }
        });

        SentSession.endOther(request);

        assertThat(request.getSession(false)).isNotNull();
    }

    @Test
    void staysAfterALogOutThatKeepsIt() {
        MockHttpSession session = sent(context("alice"));

        session.removeAttribute(CONTEXT);
        SentSession.endOther(request);

        assertThat(session.isInvalid()).isFalse();
    }

    @Test
    void staysAsItWasSent() {
        MockHttpSession session = sent(context("alice"));

        session.setAttribute(CONTEXT, context("alice"));
        SentSession.endOther(request);

        assertThat(session.isInvalid()).isFalse();
    }

    private MockHttpSession sent(SecurityContext context) {
        MockHttpSession session = new MockHttpSession();
        session.setAttribute(CONTEXT, context);
        request.setSession(session);
        SentSession.remember(request);
        return session;
    }

    private static SecurityContext context(String user) {
        return new SecurityContextImpl(new TestingAuthenticationToken(user, ""));
    }
}
