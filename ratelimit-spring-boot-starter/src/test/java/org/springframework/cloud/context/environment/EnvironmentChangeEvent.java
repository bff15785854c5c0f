package org.springframework.cloud.context.environment;

import java.util.Set;
import org.springframework.context.ApplicationEvent;

/** What Spring Cloud publishes after it has changed the environment; tests of this module do not have it. */
public final class EnvironmentChangeEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    public EnvironmentChangeEvent(Set<String> keys) {
        super(keys);
    }
}
