package io.ratelimit.spring.internal.servlet;

import java.lang.reflect.Method;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The threads of a servlet server, one of which each request holds while its handler runs. */
public final class RequestThreads {

    private static final int USUAL = 200;

    /** Since Java 21. */
    private static final @Nullable Method IS_VIRTUAL = ReflectionUtils.findMethod(Thread.class, "isVirtual");

    private RequestThreads() {}

    /** Returns how many there are, as configured, or else by default. */
    public static int most(Environment environment) {
        return Stream.of("server.tomcat.threads.max", "server.jetty.threads.max", "server.undertow.threads.worker")
                .map(setting -> environment.getProperty(setting, Integer.class))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseGet(RequestThreads::byDefault);
    }

    private static int byDefault() {
        return ClassUtils.isPresent("io.undertow.Undertow", RequestThreads.class.getClassLoader())
                ? 8 * Math.max(2, Runtime.getRuntime().availableProcessors())
                : USUAL;
    }

    /** Returns true if the calling thread handles a request, and is not a virtual one, of which there are many. */
    public static boolean isOne() {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes && !isVirtual();
    }

    private static boolean isVirtual() {
        return IS_VIRTUAL != null
                && Boolean.TRUE.equals(ReflectionUtils.invokeMethod(IS_VIRTUAL, Thread.currentThread()));
    }
}
