package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.internal.client.LimitedExchanges;
import io.ratelimit.spring.internal.client.LimitedRequests;
import io.ratelimit.spring.internal.client.Remotes;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.util.ReflectionUtils;

/** Makes one of Spring Boot's customizers, an interface of one method, which adds the limits to a client. */
final class ClientCustomizer implements FactoryBean<Object> {

    private final Class<?> type;
    private final Consumer<Object> add;

    /** @param isReactive whether it customizes builders of WebClient */
    ClientCustomizer(Class<?> type, boolean isReactive, Remotes remotes) {
        this.type = type;
        this.add = isReactive ? Reactive.of(remotes) : Blocking.of(remotes);
    }

    @Override
    public Class<?> getObjectType() {
        return type;
    }

    @Override
    public Object getObject() {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, this::call);
    }

    private @Nullable Object call(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
            throws Throwable {
        if (ReflectionUtils.isEqualsMethod(method)) {
            return arguments != null && proxy == arguments[0];
        }
        if (ReflectionUtils.isObjectMethod(method)) {
            return ofObject(method, arguments);
        }
        if (arguments != null && arguments[0] != null) {
            add.accept(arguments[0]);
        }
        return null;
    }

    private Object ofObject(Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(this, arguments);
        } catch (InvocationTargetException failed) {
            throw failed.getTargetException();
        }
    }

    /** A class of its own, because WebClient is optional. */
    private static final class Reactive {

        private Reactive() {}

        static Consumer<Object> of(Remotes remotes) {
            return new LimitedExchanges(remotes)::addTo;
        }
    }

    /** A class of its own, because RestClient is optional. */
    private static final class Blocking {

        private Blocking() {}

        static Consumer<Object> of(Remotes remotes) {
            return new LimitedRequests(remotes)::addTo;
        }
    }
}
