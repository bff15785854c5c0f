package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.internal.method.LimitedMethodRegistry;
import io.ratelimit.spring.internal.rule.Plan;
import io.ratelimit.spring.internal.rule.Routes;
import io.ratelimit.spring.internal.rule.Rule;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.springframework.beans.factory.ObjectProvider;

/** Plans that the client chooses by a header, cookie or parameter, so that anybody has the largest one. */
final class ClientPlans {

    private final ObjectProvider<Routes> routes;
    private final ObjectProvider<LimitedMethodRegistry> methods;

    ClientPlans(ObjectProvider<Routes> routes, ObjectProvider<LimitedMethodRegistry> methods) {
        this.routes = routes;
        this.methods = methods;
    }

    List<String> findings() {
        Stream<Rule> ofRoutes =
                routes.stream().flatMap(all -> all.routes().stream()).flatMap(route -> route.rules().stream());
        Stream<Rule> ofMethods = methods.stream()
                .flatMap(annotated -> annotated.rules().values().stream())
                .flatMap(List::stream);
        return Stream.concat(ofRoutes, ofMethods)
                .map(rule -> rule.charged().plan())
                .filter(Objects::nonNull)
                .filter(Plan::isOfClient)
                .map(plan ->
                        ("%s: the client chooses the plan '%s', so that anybody has the largest one. Name the plan of an"
                                        + " authenticated principal, or let a proxy set and remove what the expression reads")
                                .formatted(plan.where(), plan.text()))
                .distinct()
                .toList();
    }
}
