package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.Enumeration;
import java.util.Map;

/**
 * A request whose parameters its server refuses to read. A key has asked for one: later servers fail the first time alone, and would
 * answer the handler without the parameters that they could not read.
 */
final class UnreadableParameters extends HttpServletRequestWrapper {

    private static final String FAILURE = UnreadableParameters.class.getName();

    private final RuntimeException failure;

    private UnreadableParameters(HttpServletRequest request, RuntimeException failure) {
        super(request);
        this.failure = failure;
    }

    /** Notes with what the server has refused. */
    static void note(HttpServletRequest request, RuntimeException failure) {
        request.setAttribute(FAILURE, failure);
    }

    /** Returns the request as the handler would find it if no key had asked. */
    static HttpServletRequest unread(HttpServletRequest request) {
        return request.getAttribute(FAILURE) instanceof RuntimeException failure
                ? new UnreadableParameters(request, failure)
                : request;
    }

    @Override
    public String getParameter(String name) {
        throw failure;
    }

    @Override
    public String[] getParameterValues(String name) {
        throw failure;
    }

    @Override
    public Enumeration<String> getParameterNames() {
        throw failure;
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        throw failure;
    }
}
