package org.springframework.retry.interceptor;

import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.springframework.aop.ProxyMethodInvocation;

/** Repeats a method twice, in place of the advice of spring-retry, which is known by its package. */
public final class ThriceInterceptor implements MethodInterceptor {

    @Override
    public Object invoke(MethodInvocation invocation) throws Throwable {
        ((ProxyMethodInvocation) invocation).invocableClone().proceed();
        ((ProxyMethodInvocation) invocation).invocableClone().proceed();
        return invocation.proceed();
    }
}
