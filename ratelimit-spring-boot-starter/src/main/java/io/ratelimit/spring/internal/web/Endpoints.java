package io.ratelimit.spring.internal.web;

import java.lang.reflect.Proxy;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.web.method.HandlerMethod;

/** Which bean answers a request. */
public final class Endpoints {

    private Endpoints() {}

    /**
     * Whether a bean of that class may be the endpoint. A handler that is not a method cannot be compared, because the
     * bean that it calls may be the endpoint.
     *
     * @param handler as Spring has found it for the request; null if it has not
     */
    public static boolean isOf(Class<?> bean, @Nullable Object handler) {
        if (!(handler instanceof HandlerMethod method)) {
            return handler != null;
        }
        Class<?> endpoint = method.getBeanType();
        return Proxy.isProxyClass(endpoint)
                ? Arrays.stream(endpoint.getInterfaces()).anyMatch(face -> face.isAssignableFrom(bean))
                : endpoint.isAssignableFrom(bean);
    }
}
