package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.springframework.util.ReflectionUtils;

/** Sends a redirect by the method of Servlet 6.1, which only applications on such a server can call. */
final class LaterRedirect {

    private LaterRedirect() {}

    static void send(HttpServletResponse response, String location, int status, boolean clearBuffer)
            throws IOException {
        try {
            Method method = HttpServletResponse.class.getMethod("sendRedirect", String.class, int.class, boolean.class);
            method.invoke(response, location, status, clearBuffer);
        } catch (InvocationTargetException failed) {
            if (failed.getTargetException() instanceof IOException lost) {
                throw lost;
            }
            ReflectionUtils.rethrowRuntimeException(failed.getTargetException());
        } catch (ReflectiveOperationException earlier) {
            throw new IllegalStateException("the server is of an earlier version than Servlet 6.1", earlier);
        }
    }
}
