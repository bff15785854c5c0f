package io.ratelimit.spring.internal.method;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * The context that a thread holds for the code that it runs: security context, request, locale, MDC, class loader, and what is
 * registered with Micrometer's context propagation. Immutable and thread-safe.
 */
final class CallerContext {

    private static final Logger LOG = LoggerFactory.getLogger(CallerContext.class);

    private static final boolean WEB = isPresent("org.springframework.web.context.request.RequestContextHolder");
    private static final boolean SECURITY =
            isPresent("org.springframework.security.core.context.SecurityContextHolder");
    private static final boolean PROPAGATION = isPresent("io.micrometer.context.ContextRegistry");

    /** Each sets its part on the calling thread, and returns what undoes that. */
    private final List<Supplier<Runnable>> parts;

    private final Thread thread = Thread.currentThread();

    /** What the thread holds as long as it works on the request; null without one. */
    private final @Nullable Object request = requestOfThread();

    private CallerContext(List<Supplier<Runnable>> parts) {
        this.parts = parts;
    }

    /** The context of this thread. */
    static CallerContext capture() {
        List<Supplier<Runnable>> parts = new ArrayList<>();
        if (PROPAGATION) {
            PropagatedContext.captureInto(parts, CallerContext::attempt);
        }
        if (WEB) {
            attempt(() -> parts.add(Web.capture()));
        }
        if (SECURITY) {
            attempt(() -> parts.add(Secured.capture()));
        }
        attempt(() -> parts.add(locale()));
        attempt(() -> parts.add(mdc()));
        parts.add(classLoader());
        return new CallerContext(parts);
    }

    /** An executor whose tasks run in this context. */
    Executor on(Executor executor) {
        return task -> executor.execute(() -> {
            Runnable undo = open();
            try {
                task.run();
            } finally {
                undo.run();
            }
        });
    }

    /**
     * Puts the calling thread into this context. What it returns undoes that, on the same thread. Neither throws. A thread that works
     * on the same request still is left as it is, with what the call sets there.
     */
    Runnable open() {
        if (request != null && thread.equals(Thread.currentThread()) && request.equals(requestOfThread())) {
            return () -> {};
        }
        List<Runnable> undo = new ArrayList<>();
        parts.forEach(part -> attempt(() -> undo.add(part.get())));
        Collections.reverse(undo);
        return () -> undo.forEach(CallerContext::attempt);
    }

    private static @Nullable Object requestOfThread() {
        return WEB ? Web.request() : null;
    }

    /** Does without a part that fails: the call that it is for may be charged already, and somebody waits for its end. */
    private static void attempt(Runnable step) {
        try {
            step.run();
        } catch (Throwable failed) {
            LOG.debug(
                    "A part of the caller's context failed, and is left out: {}",
                    failed.getClass().getName()); // its message may quote the user
        }
    }

    private static Supplier<Runnable> locale() {
        LocaleContext locale = LocaleContextHolder.getLocaleContext();
        return () -> {
            LocaleContext before = LocaleContextHolder.getLocaleContext();
            LocaleContextHolder.setLocaleContext(locale);
            return () -> LocaleContextHolder.setLocaleContext(before);
        };
    }

    private static Supplier<Runnable> mdc() {
        Map<String, String> mdc = MDC.getCopyOfContextMap();
        return () -> {
            Map<String, String> before = MDC.getCopyOfContextMap();
            setMdc(mdc);
            return () -> setMdc(before);
        };
    }

    private static Supplier<Runnable> classLoader() {
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        return () -> {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            thread.setContextClassLoader(loader);
            return () -> thread.setContextClassLoader(before);
        };
    }

    private static void setMdc(@Nullable Map<String, String> mdc) {
        MDC.setContextMap(mdc == null ? Map.of() : mdc);
    }

    private static boolean isPresent(String name) {
        return ClassUtils.isPresent(name, CallerContext.class.getClassLoader());
    }

    /** A class of its own, because spring-web is optional. */
    private static final class Web {
        static @Nullable Object request() {
            return RequestContextHolder.getRequestAttributes();
        }

        static Supplier<Runnable> capture() {
            RequestAttributes request = RequestContextHolder.getRequestAttributes();
            return () -> {
                RequestAttributes before = RequestContextHolder.getRequestAttributes();
                RequestContextHolder.setRequestAttributes(request);
                return () -> RequestContextHolder.setRequestAttributes(before);
            };
        }
    }

    /** A class of its own, because Spring Security is optional. */
    private static final class Secured {
        static Supplier<Runnable> capture() {
            SecurityContext security = SecurityContextHolder.getContext();
            return () -> {
                SecurityContext before = SecurityContextHolder.getContext();
                SecurityContextHolder.setContext(security);
                return () -> restore(before);
            };
        }

        private static void restore(SecurityContext before) {
            if (before.getAuthentication() == null) {
                SecurityContextHolder.clearContext();
            } else {
                SecurityContextHolder.setContext(before);
            }
        }
    }
}
