package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

class CarriedAttributesTest {

    private final ServletRequestAttributes original = new ServletRequestAttributes(new MockHttpServletRequest());
    private final ServletRequestAttributes carried = carry(original);

    @AfterEach
    void leaveTheThread() {
        RequestContextHolder.resetRequestAttributes();
    }

    @Test
    void areThoseOfTheRequestsOwnThread() {
        assertThat(carried).isNotSameAs(original);
        assertThat(CarriedAttributes.originalOf(carried)).isSameAs(original);
        assertThat(CarriedAttributes.originalOf(original)).isSameAs(original);
    }

    @Test
    void areSetOnceOnAThread() {
        assertThat(carry(original)).isSameAs(carried);
        assertThat(carry(carried)).isSameAs(carried);
        assertThat(carry(new ServletRequestAttributes(original.getRequest()))).isNotSameAs(carried);
    }

    @Test
    void areOfTheOriginalOnAThirdThreadAlso() {
        ServletRequestAttributes third =
                CompletableFuture.supplyAsync(() -> carry(carried)).join();

        assertThat(third).isNotSameAs(carried);
        assertThat(CarriedAttributes.originalOf(third)).isSameAs(original);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBeanIsDestroyedWhenBothThreadsHaveLeft(boolean originalFirst) {
        AtomicInteger destroyed = new AtomicInteger();
        carried.registerDestructionCallback("bean", destroyed::incrementAndGet, RequestAttributes.SCOPE_REQUEST);
        List<ServletRequestAttributes> leaving =
                originalFirst ? List.of(original, carried) : List.of(carried, original);

        leaving.get(0).requestCompleted();
        assertThat(destroyed).hasValue(0);
        leaving.get(1).requestCompleted();
        assertThat(destroyed).hasValue(1);
    }

    private static ServletRequestAttributes carry(ServletRequestAttributes attributes) {
        CarriedAttributes.carry(attributes);
        return (ServletRequestAttributes) RequestContextHolder.currentRequestAttributes();
    }
}
