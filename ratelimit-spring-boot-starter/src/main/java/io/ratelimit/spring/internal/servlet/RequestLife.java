package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.internal.method.CarriedAttributes;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletRequestWrapper;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Tells whether a request that a thread holds is over. Tomcat's requests fail then and Undertow's stay as they were; Jetty's fail
 * or answer from the next request of their connection, so those are known by their ids. Thread-safe.
 */
final class RequestLife {

    /** The ids of Jetty's requests, each as it was when Spring had not finished with it. */
    private static final Map<ServletRequestAttributes, String> IDS = Collections.synchronizedMap(new WeakHashMap<>());

    private RequestLife() {}

    /** True if it is over. On Jetty, one that is seen first when Spring has finished with it goes on if it is asynchronous. */
    static boolean isOver(ServletRequestAttributes attributes) {
        HttpServletRequest request = ofServer(attributes.getRequest());
        try {
            if (request.getMethod() == null) {
                return true;
            }
            return isReused(request) && isAnother(attributes, request);
        } catch (RuntimeException recycled) { // whatever a server throws that has forgotten it
            return true;
        }
    }

    private static boolean isAnother(ServletRequestAttributes attributes, HttpServletRequest request) {
        if (CarriedAttributes.isActive(attributes)) {
            IDS.put(attributes, request.getRequestId());
            return false;
        }
        String seen = IDS.get(attributes);
        return seen == null ? !request.isAsyncStarted() : !seen.equals(request.getRequestId());
    }

    private static boolean isReused(HttpServletRequest request) {
        return request.getClass().getName().startsWith("org.eclipse.jetty.");
    }

    /** Wrappers may answer by themselves, whatever has become of it. */
    private static HttpServletRequest ofServer(HttpServletRequest request) {
        ServletRequest inner = request;
        while (inner instanceof ServletRequestWrapper wrapper) {
            inner = wrapper.getRequest();
        }
        return inner instanceof HttpServletRequest http ? http : request;
    }
}
