package io.ratelimit.spring.internal.operate;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;

/**
 * Gives {@link RateLimitsEndpoint#override} the whole body as one parameter. Spring Boot would give it one parameter for each
 * field and leave out the others, but a parameter of Java cannot be named {@code for}, and a misspelled field is an error.
 *
 * <p>For all operations, rejects a field or a query parameter of the name that the path has among the arguments, because Spring
 * Boot would take it in place of the path: rules that secure a path would not see what is changed.
 */
public final class WholeBody implements OperationInvokerAdvisor {

    @Override
    public OperationInvoker apply(
            EndpointId endpoint, OperationType type, OperationParameters parameters, OperationInvoker invoker) {
        if (!endpoint.equals(EndpointId.of("ratelimits"))) {
            return invoker;
        }
        Optional<String> path = parameters.stream()
                .filter(parameter -> parameter.getType() == String[].class)
                .map(OperationParameter::getName)
                .findFirst();
        return context -> {
            if (path.isPresent() && !(context.getArguments().get(path.get()) instanceof String[])) {
                return RateLimitsEndpoint.badRequest(
                        "%s is what the path names: leave it out of the body and of the parameters"
                                .formatted(path.get()));
            }
            return invoker.invoke(type == OperationType.WRITE ? withWholeBody(context) : context);
        };
    }

    private static InvocationContext withWholeBody(InvocationContext context) {
        Map<String, Object> body = new HashMap<>(context.getArguments());
        Map<String, Object> arguments = new HashMap<>();
        arguments.put("resource", body.remove("resource")); // the path
        arguments.put("body", body);
        return new InvocationContext(
                context.resolveArgument(SecurityContext.class), arguments, new OperationArgumentResolver() {
                    @Override
                    public boolean canResolve(Class<?> type) {
                        return context.canResolve(type);
                    }

                    @Override
                    public <T> T resolve(Class<T> type) {
                        return context.resolveArgument(type);
                    }
                });
    }
}
