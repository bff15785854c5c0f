package io.ratelimit.spring.internal.method;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The attributes of a servlet request for another thread, as Spring MVC makes for a {@code Callable}: those of the request's own
 * thread answer until that has left, though the request goes on. A class of its own, because WebFlux has no servlet classes.
 */
public final class CarriedAttributes extends ServletRequestAttributes {

    private final ServletRequestAttributes original;

    private CarriedAttributes(ServletRequestAttributes original) {
        super(original.getRequest(), original.getResponse());
        this.original = original;
    }

    /** Returns those of the request's own thread, which are the same object on all threads. */
    public static ServletRequestAttributes originalOf(ServletRequestAttributes attributes) {
        return attributes instanceof CarriedAttributes carried ? carried.original : attributes;
    }

    /** Sets them on this thread, which may have been given them already. */
    static void carry(ServletRequestAttributes attributes) {
        ServletRequestAttributes original = originalOf(attributes);
        if (!(RequestContextHolder.getRequestAttributes() instanceof CarriedAttributes carried)
                || carried.original != original) {
            RequestContextHolder.setRequestAttributes(new CarriedAttributes(original));
        }
    }

    /** Sets again at once what is read of the session: Spring does when the thread leaves, and it may be written by then. */
    @Override
    public @Nullable Object getAttribute(String name, int scope) {
        Object value = super.getAttribute(name, scope);
        if (scope == RequestAttributes.SCOPE_SESSION) {
            updateAccessedSessionAttributes();
            return super.getAttribute(name, scope); // for Spring to do so, too: the method may change it
        }
        return value;
    }

    /** A bean is destroyed when both threads have left: that of the request may use it, too. */
    @Override
    public void registerDestructionCallback(String name, Runnable callback, int scope) {
        if (scope != RequestAttributes.SCOPE_REQUEST || !isActive(original)) {
            super.registerDestructionCallback(name, callback, scope);
            return;
        }
        AtomicInteger threads = new AtomicInteger(2);
        Runnable last = () -> {
            if (threads.decrementAndGet() == 0) {
                callback.run();
            }
        };
        original.registerDestructionCallback(name, last, scope);
        super.registerDestructionCallback(name, last, scope);
    }

    /** Returns whether the thread of the request has not left it. */
    public static boolean isActive(ServletRequestAttributes attributes) {
        try {
            attributes.getAttribute(CarriedAttributes.class.getName(), RequestAttributes.SCOPE_REQUEST);
            return true;
        } catch (IllegalStateException finished) {
            return false;
        }
    }
}
