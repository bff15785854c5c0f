package io.ratelimit.spring.internal.method;

import io.ratelimit.spring.CurrentRequest;
import io.ratelimit.spring.RequestView;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.context.i18n.SimpleLocaleContext;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

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

    private final List<ContextPart<?>> parts;

    private final Thread thread = Thread.currentThread();

    /** Spring's attributes, which the thread holds as long as it works on the request; null without one. */
    private final @Nullable Object request = requestOfThread();

    /** The same request, which knows its end. */
    private final @Nullable RequestView view;

    private CallerContext(List<ContextPart<?>> parts, @Nullable RequestView view) {
        this.parts = parts;
        this.view = view;
    }

    /** The context of this thread. */
    static CallerContext capture(CurrentRequest current) {
        List<ContextPart<?>> parts = new ArrayList<>();
        if (PROPAGATION) {
            PropagatedContext.captureInto(parts, CallerContext::attempt);
        }
        if (WEB) {
            attempt(() -> parts.add(Web.capture()));
        }
        if (SECURITY) {
            attempt(() -> parts.add(Secured.capture()));
        }
        attempt(() -> parts.add(
                ContextPart.capture(LocaleContextHolder::getLocaleContext, LocaleContextHolder::setLocaleContext)));
        attempt(() -> parts.add(ContextPart.capture(MDC::getCopyOfContextMap, CallerContext::setMdc)));
        parts.add(ContextPart.capture(
                () -> Thread.currentThread().getContextClassLoader(),
                loader -> Thread.currentThread().setContextClassLoader(loader)));
        return new CallerContext(parts, current.view());
    }

    /** An executor whose tasks run in this context. */
    Executor on(Executor executor) {
        return task -> executor.execute(() -> {
            Opened opened = open();
            try {
                task.run();
            } finally {
                opened.undo();
            }
        });
    }

    /**
     * Puts the calling thread into this context, until that is undone on the same thread. Neither throws. What a thread holds
     * anyway that works on the same request still is left as it is, with what the call sets there. A request that is over is left
     * out.
     */
    Opened open() {
        boolean isHere = request != null && thread.equals(Thread.currentThread()) && request.equals(requestOfThread());
        boolean isOver = view instanceof EndingView ending && ending.isOver();
        Opened opened = new Opened();
        for (ContextPart<?> part : parts) {
            attempt(() -> {
                if (!isHere || !part.isThere()) {
                    opened.parts.add(
                            0, isOver && asksRequest(part) ? part.none().open() : part.open());
                }
            });
        }
        return opened;
    }

    /** The parts that a thread was given, the last first. Not thread-safe. */
    static final class Opened {

        private final List<ContextPart.Opened<?>> parts = new ArrayList<>();

        /** Leaves what the code that ran meanwhile has set itself, for what it has returned. */
        void undoUnchanged() {
            List<ContextPart.Opened<?>> all = List.copyOf(parts);
            all.forEach(part -> attempt(() -> {
                if (!part.isChanged()) {
                    parts.remove(part);
                    part.undo();
                }
            }));
        }

        void undo() {
            parts.forEach(part -> attempt(part::undo));
            parts.clear();
        }
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

    /** True for Spring's attributes and a locale that is resolved when it is used: after the request they fail, or answer from another. */
    private boolean asksRequest(ContextPart<?> part) {
        return part.value() instanceof LocaleContext locale
                ? !(locale instanceof SimpleLocaleContext)
                : request != null && request.equals(part.value());
    }

    private static void setMdc(@Nullable Map<String, String> mdc) {
        MDC.setContextMap(mdc == null ? Map.of() : mdc);
    }

    private static boolean isPresent(String name) {
        return ClassUtils.isPresent(name, CallerContext.class.getClassLoader());
    }

    /** Spring's attributes of a request. A class of its own, because spring-web is optional. */
    private static final class Web {
        static @Nullable RequestAttributes request() {
            return RequestContextHolder.getRequestAttributes();
        }

        static ContextPart<?> capture() {
            return ContextPart.capture(Web::request, Web::set, Web::restore);
        }

        private static void set(@Nullable RequestAttributes attributes) {
            if (attributes instanceof ServletRequestAttributes servlet) {
                CarriedAttributes.carry(servlet);
            } else {
                RequestContextHolder.setRequestAttributes(attributes);
            }
        }

        /** Completes what was carried here, so that its beans are destroyed and what it has of the session is set again. */
        private static void restore(@Nullable RequestAttributes before, @Nullable RequestAttributes then) {
            RequestContextHolder.setRequestAttributes(before);
            if (then != before && then instanceof CarriedAttributes carried) {
                carried.requestCompleted();
            }
        }
    }

    /**
     * A class of its own, because Spring Security is optional. An empty context counts as none, as it does for Spring Security:
     * who asks for one gets an object to log in by, which threads must not share.
     */
    private static final class Secured {
        static ContextPart<?> capture() {
            return ContextPart.capture(Secured::get, Secured::set);
        }

        private static @Nullable SecurityContext get() {
            SecurityContext context = SecurityContextHolder.getContext();
            return context.getAuthentication() == null ? null : context;
        }

        private static void set(@Nullable SecurityContext context) {
            if (context == null) {
                SecurityContextHolder.clearContext();
            } else {
                SecurityContextHolder.setContext(context);
            }
        }
    }
}
