package io.ratelimit.spring.internal.servlet;

import io.ratelimit.Decision;
import io.ratelimit.spring.internal.rule.ClientAddresses;
import io.ratelimit.spring.internal.rule.LatePrincipal;
import io.ratelimit.spring.internal.rule.OpenCall;
import io.ratelimit.spring.internal.rule.PendingRoutes;
import io.ratelimit.spring.internal.rule.RouteLimiter;
import io.ratelimit.spring.internal.rule.RouteLimiter.Stage;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.internal.web.ProblemResponse;
import io.ratelimit.spring.internal.web.RateLimitHeaders;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.filter.ServerHttpObservationFilter;

/**
 * Limits requests by the configured routes. Stands in the chain more than once: before and after filters that may
 * authenticate a request or change its path. A route still counts a request once. Thread-safe.
 */
public final class RateLimitFilter implements Filter {

    private static final Logger LOG = LoggerFactory.getLogger(RateLimitFilter.class);
    private static final String PENDING = RateLimitFilter.class.getName() + ".pending";

    private final Stage stage;
    private final RouteLimiter routes;
    private final ClientAddresses addresses;
    private final RateLimitHeaders headers;
    private final RefusalWriter refusals;

    /** Decides what can be decided at this stage. */
    public RateLimitFilter(
            Stage stage,
            RouteLimiter routes,
            ClientAddresses addresses,
            RateLimitHeaders headers,
            RefusalWriter refusals) {
        this.stage = stage;
        this.routes = routes;
        this.addresses = addresses;
        this.headers = headers;
        this.refusals = refusals;
    }

    @Override
    public void doFilter(ServletRequest servletRequest, ServletResponse servletResponse, FilterChain chain)
            throws ServletException, IOException {
        HttpServletRequest request = (HttpServletRequest) servletRequest;
        if (isSpared(request)) {
            chain.doFilter(request, servletResponse);
            return;
        }
        HttpServletResponse response = ExposedHeaders.kept(request, (HttpServletResponse) servletResponse);
        PendingRoutes pending = pending(request);
        try {
            moveTo(request, pending);
        } catch (IllegalArgumentException malformed) { // an escape that the server let pass, such as in /a;b=%zz
            refusals.write(ProblemResponse.badPath(), request, response);
            return;
        }
        seekPrincipal(pending, request);
        try {
            limit(pending, request, response, chain);
        } catch (Throwable failure) { // Kotlin declares none, and only Tomcat makes a declared one of it
            RequestFailures.leaving(request, response, failure, stage == routes.firstStage());
            throw failure;
        }
    }

    private void limit(
            PendingRoutes pending, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        OpenCall call = new OpenCall();
        boolean endsLater = pending.areSettledLater();
        ResponseEnd end = new ResponseEnd(call, pending, request, response);
        Throwable thrown = null;
        try {
            if (!admits(pending, stage, call, request, response)) {
                return;
            }
            if (endsLater) {
                EndingRequest ending = end.request();
                proceed(pending, call, ending, ending.response(), chain);
            } else {
                proceed(pending, call, request, response, chain);
            }
        } catch (Throwable failure) {
            thrown = failure;
            throw failure;
        } finally {
            end.afterChain(thrown);
        }
    }

    /** A handler that logs in and forwards is no filter that comes too late. */
    private void seekPrincipal(PendingRoutes pending, HttpServletRequest request) {
        LatePrincipal late = routes.latePrincipal();
        if (stage == Stage.END_OF_CHAIN
                && late.isSought(pending)
                && request.getDispatcherType() == DispatcherType.REQUEST) {
            late.seek(pending, () -> new ServletRequestView(request, addresses).principal());
        }
    }

    private void moveTo(HttpServletRequest request, PendingRoutes pending) {
        String method = request.getMethod();
        pending.moveTo(method, RoutePath.target(request), () -> routes.matching(method, RoutePath.of(request)));
    }

    private void proceed(
            PendingRoutes pending,
            OpenCall call,
            HttpServletRequest request,
            HttpServletResponse response,
            FilterChain chain)
            throws ServletException, IOException {
        HttpServletRequest asked = UnreadableParameters.unread(request);
        if (pending.isEmpty()) {
            chain.doFilter(asked, response);
            return;
        }
        SentSession.remember(request);
        UndecidedResponse undecided = new UndecidedResponse(
                response, () -> pending.isEmpty() || admits(pending, Stage.TURNED_AWAY, call, request, response));
        try {
            chain.doFilter(asked, undecided);
        } catch (Throwable failure) {
            if (undecided.decide()) {
                throw failure;
            }
            LOG.debug(
                    "A request that is refused had failed before it was authenticated: {}",
                    failure.getClass().getName()); // its message may quote the user
            return;
        }
        if (!request.isAsyncStarted()) {
            undecided.decide();
        }
    }

    /** Returns true if the request may go on; if not, it is answered. */
    private boolean admits(
            PendingRoutes pending, Stage at, OpenCall call, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        try {
            Decision decision = routes.decide(pending, new ServletRequestView(request, addresses), at, call)
                    .orElse(null);
            if (decision == null) {
                return true;
            }
            if (!decision.allowed()) {
                pending.refused();
                beginAnew(request, response, at);
            }
            ServletCurrentRequest.report(decision, request);
            ServletCurrentRequest.limits(request).show(decision, headers, ExposedHeaders.setter(request, response));
            if (!decision.allowed()) {
                observe(pending, request);
                refusals.write(ProblemResponse.quotaExceeded(decision), request, response);
            }
            return decision.allowed();
        } catch (RuntimeException undecided) {
            if (!ProblemResponse.answers(undecided)) {
                throw undecided;
            }
            pending.refused();
            beginAnew(request, response, at);
            observe(pending, request);
            refusals.write(undecided, request, response);
            return false;
        }
    }

    /** A log-in has left its session and the cookie of that, or says that it failed; forwards may have begun to write. */
    private static void beginAnew(HttpServletRequest request, HttpServletResponse response, Stage at) {
        if (at == Stage.TURNED_AWAY) {
            try {
                SentSession.endOther(request); // first, because Jetty's reset() adds the cookie of a new session again
            } finally {
                response.reset();
            }
        } else if (!response.isCommitted()) {
            SentSession.endNew(request);
            if (request.getDispatcherType() != DispatcherType.REQUEST) {
                AbandonedAnswer.reset(response);
            }
        }
    }

    /** Gives the pattern of a refused request to {@code http.server.requests}, because no handler will. */
    private static void observe(PendingRoutes pending, HttpServletRequest request) {
        ServerHttpObservationFilter.findObservationContext(request)
                .ifPresent(observed -> pending.decidedPattern().ifPresent(observed::setPathPattern));
    }

    private static PendingRoutes pending(HttpServletRequest request) {
        if (request.getAttribute(PENDING) instanceof PendingRoutes pending) {
            return pending;
        }
        PendingRoutes pending = new PendingRoutes();
        request.setAttribute(PENDING, pending);
        return pending;
    }

    /** An error page, or that of a refusal, is part of an answer to what was counted before. */
    private boolean isSpared(HttpServletRequest request) {
        return isAnsweredByCors(request)
                || request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE) != null
                || RefusalWriter.isWriting(request);
    }

    /** A preflight never reaches a controller, but may reach another servlet if no filter answers it. */
    private boolean isAnsweredByCors(HttpServletRequest request) {
        return Routes.isPreflight(request.getMethod(), request::getHeader)
                && (stage != Stage.END_OF_CHAIN || RoutePath.isSpringMvc(request));
    }
}
