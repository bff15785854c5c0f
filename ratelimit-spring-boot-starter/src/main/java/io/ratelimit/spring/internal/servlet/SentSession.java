package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;

/**
 * The session that a request was sent with, if any. A log-in begins another one, gives it another id, or lets somebody in to it,
 * and its client must get none of that if it is refused: servers and Spring Session may hand the session out also after a reset of
 * the response.
 */
final class SentSession {

    private static final String SENT = SentSession.class.getName();

    /** Is compiled in, because Spring Security is optional. */
    private static final String SECURITY_CONTEXT = HttpSessionSecurityContextRepository.SPRING_SECURITY_CONTEXT_KEY;

    private SentSession() {}

    private record State(String id, @Nullable Object securityContext) {
        static Optional<State> of(@Nullable HttpSession session) {
            return session == null
                    ? Optional.empty()
                    : Optional.of(new State(session.getId(), session.getAttribute(SECURITY_CONTEXT)));
        }
    }

    /** Is called before somebody may log in. */
    static void remember(HttpServletRequest request) {
        if (request.getAttribute(SENT) == null) {
            request.setAttribute(SENT, State.of(request.getSession(false)));
        }
    }

    /** Ends the session that the request has now, unless it is still as it was sent. */
    static void endOther(HttpServletRequest request) {
        HttpSession session = request.getSession(false);
        if (session != null && !State.of(session).equals(request.getAttribute(SENT))) {
            session.invalidate();
        }
    }
}
