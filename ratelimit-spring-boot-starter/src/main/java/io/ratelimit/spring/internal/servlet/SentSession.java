package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.security.Principal;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.web.context.HttpSessionSecurityContextRepository;
import org.springframework.util.ClassUtils;

/**
 * The session that a request was sent with, if any. A log-in begins another one, gives it another id, or lets somebody in to it,
 * and its client must get none of that if it is refused: servers and Spring Session may hand the session out also after a reset of
 * the response.
 */
final class SentSession {

    private static final String SENT = SentSession.class.getName();

    private static final Logger LOG = LoggerFactory.getLogger(SentSession.class);

    private static final boolean SECURITY = ClassUtils.isPresent(
            "org.springframework.security.web.context.HttpSessionSecurityContextRepository",
            SentSession.class.getClassLoader());

    private SentSession() {}

    /**
     * @param id empty without a session
     * @param user whom Spring Security has let in to it
     */
    private record State(String id, @Nullable Principal user) {

        static State of(@Nullable HttpSession session) {
            return session == null
                    ? new State("", null)
                    : new State(session.getId(), SECURITY ? Security.user(session) : null);
        }

        /** A log-out that keeps the session lets nobody in. */
        boolean isOf(State sent) {
            return id.equals(sent.id) && (user == null || user.equals(sent.user));
        }

        /** True also if nobody was in it before. What a filter knows anew of the same user lets nobody in. */
        boolean isOfAnotherUser(State sent) {
            return user != null && (sent.user == null || !user.getName().equals(sent.user.getName()));
        }
    }

    /** Is called before somebody may log in. */
    static void remember(HttpServletRequest request) {
        if (request.getAttribute(SENT) == null) {
            request.setAttribute(SENT, State.of(request.getSession(false)));
        }
    }

    /** Ends the session that the request has now, unless it is the one that was sent, with nobody let in since. */
    static void endOther(HttpServletRequest request) {
        end(request, (now, sent) -> sent == null || !now.isOf(sent));
    }

    /**
     * Ends it if it began since, has another id, or has let somebody in: the request logs in and goes on, or is forwarded. Asks for no
     * session before anybody may log in.
     */
    static void endNew(HttpServletRequest request) {
        if (request.getAttribute(SENT) != null) {
            end(request, (now, sent) -> sent != null && (!now.id.equals(sent.id) || now.isOfAnotherUser(sent)));
        }
    }

    private static void end(HttpServletRequest request, BiPredicate<State, @Nullable State> isToEnd) {
        try {
            HttpSession session = request.getSession(false);
            State sent = request.getAttribute(SENT) instanceof State state ? state : null;
            if (session != null && isToEnd.test(State.of(session), sent)) {
                session.invalidate();
            }
        } catch (IllegalStateException over) {
            LOG.debug("Another request has ended the session of a log-in that is refused", over);
        }
    }

    /** A class of its own, because Spring Security is optional. */
    private static final class Security {

        /** Returns not the context, which may be changed in place. */
        static @Nullable Principal user(HttpSession session) {
            return session.getAttribute(HttpSessionSecurityContextRepository.SPRING_SECURITY_CONTEXT_KEY)
                            instanceof SecurityContext context
                    ? context.getAuthentication()
                    : null;
        }
    }
}
