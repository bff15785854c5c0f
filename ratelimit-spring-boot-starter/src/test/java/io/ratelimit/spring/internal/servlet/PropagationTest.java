package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.context.ThreadLocalAccessor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Requests that threads work for by Micrometer's context propagation. */
class PropagationTest {

    private final ThreadLocalAccessor<ServletRequestAttributes> propagation = new ServletCurrentRequest.Propagation();

    @AfterEach
    void leaveTheThread() {
        RequestContextHolder.resetRequestAttributes();
        propagation.setValue();
    }

    @Test
    void aThreadOfTheServerKeepsNoRequestBeyondItsOwn() {
        RequestContextHolder.setRequestAttributes(request());
        ServletRequestAttributes own = propagation.getValue();
        propagation.setValue(request());
        propagation.restore(own);

        assertThat(propagation.getValue()).isSameAs(own);
        RequestContextHolder.resetRequestAttributes();
        assertThat(propagation.getValue()).isNull();
    }

    /** As Spring's own accessor does. */
    @Test
    void itKeepsNoneAlsoIfItsOwnIsWrappedMeanwhile() {
        ServletRequestAttributes own = request();
        RequestContextHolder.setRequestAttributes(own);
        propagation.setValue(request());
        RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(own.getRequest()));
        propagation.restore(own);

        RequestContextHolder.resetRequestAttributes();
        assertThat(propagation.getValue()).isNull();
    }

    @Test
    void aThreadThatWorksForARequestGoesOnToDoSo() {
        ServletRequestAttributes first = request();
        propagation.setValue(first);
        ServletRequestAttributes before = propagation.getValue();
        propagation.setValue(request());

        propagation.restore(before);

        assertThat(propagation.getValue()).isSameAs(first);
    }

    private static ServletRequestAttributes request() {
        return new ServletRequestAttributes(new MockHttpServletRequest("GET", "/"));
    }
}
