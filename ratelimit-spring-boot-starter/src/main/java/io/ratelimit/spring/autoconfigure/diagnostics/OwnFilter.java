package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.rule.Routes;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;

/** Routes without the starter's filters, because the application registers one itself. */
final class OwnFilter implements Diagnosis {

    private final ListableBeanFactory beans;

    OwnFilter(ListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public MessageCode code() {
        return MessageCode.ROUTES_WITHOUT_FILTER;
    }

    @Override
    public List<String> findings() {
        boolean backedOff = beans.getBeanNamesForType(Routes.class, true, false).length > 0
                && !beans.containsBean("rateLimiterRoutesBeforeAuthentication");
        return backedOff
                ? List.of("rate-limiter.routes are limited only by the filter that the application registers"
                        + " itself: neither filter of the starter is there. Remove that registration to have them back")
                : List.of();
    }
}
