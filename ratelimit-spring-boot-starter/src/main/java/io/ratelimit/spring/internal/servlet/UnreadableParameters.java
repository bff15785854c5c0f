package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.Enumeration;
import java.util.Map;

/**
 * A request whose server has refused to read its parameters when a key asked for one. Later servers do so the first time alone, and
 * would answer the handler without those that they could not read: here its first reading fails instead.
 */
final class UnreadableParameters extends HttpServletRequestWrapper {

    private static final String FAILURE = UnreadableParameters.class.getName();

    private UnreadableParameters(HttpServletRequest request) {
        super(request);
    }

    /** Notes with what the server has refused, if it does so no more. */
    static void note(HttpServletRequest request, String name, RuntimeException failure) {
        try {
            request.getParameter(name);
        } catch (RuntimeException again) {
            return;
        }
        request.setAttribute(FAILURE, failure);
    }

    /** Returns the request as the handler would find it if no key had asked. */
    static HttpServletRequest unread(HttpServletRequest request) {
        return request.getAttribute(FAILURE) == null ? request : new UnreadableParameters(request);
    }

    private void failOnce() {
        if (getAttribute(FAILURE) instanceof RuntimeException failure) {
            removeAttribute(FAILURE);
            throw failure;
        }
    }

    @Override
    public String getParameter(String name) {
        failOnce();
        return super.getParameter(name);
    }

    @Override
    public String[] getParameterValues(String name) {
        failOnce();
        return super.getParameterValues(name);
    }

    @Override
    public Enumeration<String> getParameterNames() {
        failOnce();
        return super.getParameterNames();
    }

    @Override
    public Map<String, String[]> getParameterMap() {
        failOnce();
        return super.getParameterMap();
    }
}
