package io.ratelimit.spring.internal.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.EventBus;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import java.util.function.Consumer;
import org.springframework.core.NestedExceptionUtils;
import reactor.core.publisher.Flux;

/**
 * Reports that Redis refuses a connection which Lettuce makes anew, as after its password was changed: nothing else says why
 * calls find no connection. All events go on to the given bus, which the application may listen to; those of its other
 * connections do not come here.
 *
 * @param refused takes the cause, on an I/O thread
 */
record RefusedReconnects(EventBus bus, Consumer<Throwable> refused) implements EventBus {

    @Override
    public void publish(Event event) {
        if (event instanceof ReconnectFailedEvent failed
                && NestedExceptionUtils.getMostSpecificCause(failed.getCause())
                        instanceof RedisCommandExecutionException cause) {
            refused.accept(cause);
        }
        bus.publish(event);
    }

    @Override
    public Flux<Event> get() {
        return bus.get();
    }
}
