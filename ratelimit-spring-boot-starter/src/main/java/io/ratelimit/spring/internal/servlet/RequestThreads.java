package io.ratelimit.spring.internal.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Method;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The threads of a servlet server, one of which each request holds while its handler runs. */
public final class RequestThreads {

    private static final int USUAL = 200;

    /** Since Java 21. */
    private static final @Nullable Method IS_VIRTUAL = ReflectionUtils.findMethod(Thread.class, "isVirtual");

    private RequestThreads() {}

    /**
     * Returns how many there are, as configured, or else by default.
     *
     * @param hasClass whether there is a class of that name, so that of several servers that counts which Spring Boot takes
     */
    public static int most(Environment environment, Predicate<String> hasClass) {
        if (hasClass.test("org.apache.catalina.startup.Tomcat")) {
            return environment.getProperty("server.tomcat.threads.max", Integer.class, USUAL);
        }
        if (hasClass.test("org.eclipse.jetty.server.Server")) {
            return environment.getProperty("server.jetty.threads.max", Integer.class, USUAL);
        }
        return hasClass.test("io.undertow.Undertow") ? mostOfUndertow(environment) : USUAL;
    }

    private static int mostOfUndertow(Environment environment) {
        int cores = Runtime.getRuntime().availableProcessors();
        int io = environment.getProperty("server.undertow.threads.io", Integer.class, Math.max(2, cores));
        return environment.getProperty("server.undertow.threads.worker", Integer.class, 8 * io);
    }

    /**
     * Returns true if the calling thread handles a request, and is not a virtual one, of which there are many. A request that has
     * become asynchronous has left its thread, and goes on with others, such as that of a {@code Callable}.
     */
    public static boolean isOne() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                && !isAsynchronous(attributes.getRequest())
                && !isVirtual();
    }

    /** True if another thread may go on with the request, or it is over. */
    static boolean isAsynchronous(HttpServletRequest request) {
        try {
            return request.isAsyncStarted();
        } catch (IllegalStateException over) { // of Tomcat, for a thread that goes on after the answer
            return true;
        }
    }

    private static boolean isVirtual() {
        return IS_VIRTUAL != null
                && Boolean.TRUE.equals(ReflectionUtils.invokeMethod(IS_VIRTUAL, Thread.currentThread()));
    }
}
