package io.ratelimit.spring.internal;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanCurrentlyInCreationException;

/**
 * A bean, or something made of beans, that is asked for at its first use. Takes no lock of its own: the container takes one to make a
 * bean, and a thread that needs this may hold it already, while another waits for it here. Threads that come together may each ask, and
 * get the one that is kept. Thread-safe.
 */
public final class LateBean<T> implements Supplier<T> {

    private final Supplier<? extends T> container;
    private final AtomicReference<@Nullable T> known = new AtomicReference<>();

    /** Asks {@code container} at the first use, and again after a failure. */
    public LateBean(Supplier<? extends T> container) {
        this.container = container;
    }

    /**
     * Asks now, so that the bean is made before what needs it and closed after that; at the first use if it is being made just now.
     *
     * @throws BeansException if it cannot be made
     */
    public void ask() {
        try {
            get();
        } catch (BeansException failed) {
            if (!failed.contains(BeanCurrentlyInCreationException.class)) {
                throw failed;
            }
        }
    }

    @Override
    public T get() {
        T bean = known.get();
        if (bean == null) {
            known.compareAndSet(null, container.get());
            bean = Objects.requireNonNull(known.get());
        }
        return bean;
    }
}
