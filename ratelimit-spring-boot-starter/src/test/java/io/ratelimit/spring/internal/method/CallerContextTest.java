package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import io.ratelimit.spring.CurrentRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.MDC;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolderThreadLocalAccessor;

/** A part of the context that fails is left out: a call must not be lost by it, and the next finds nothing of the last. */
class CallerContextTest {

    private enum Step {
        READ,
        SET,
        CLEAR
    }

    /** Registered between two others. */
    private record Part(String key, ThreadLocal<String> value, Step failing) implements ThreadLocalAccessor<String> {

        @Override
        public String getValue() {
            fail(Step.READ);
            return value.get();
        }

        @Override
        public void setValue(String newValue) {
            fail(Step.SET);
            value.set(newValue);
        }

        @Override
        public void setValue() {
            fail(Step.CLEAR);
            value.remove();
        }

        private void fail(Step step) {
            if (step == failing) {
                throw new IllegalStateException("for the test");
            }
        }
    }

    private final ThreadLocal<String> before = new ThreadLocal<>();
    private final ThreadLocal<String> broken = new ThreadLocal<>();
    private final ThreadLocal<String> after = new ThreadLocal<>();

    @BeforeEach
    void set() {
        for (ThreadLocal<String> value : List.of(before, broken, after)) {
            value.set("caller's");
        }
        MDC.put("trace", "caller's");
    }

    @AfterEach
    void forget() {
        for (String key : List.of("before", "broken", "after")) {
            ContextRegistry.getInstance().removeThreadLocalAccessor(key);
        }
        MDC.clear();
    }

    /** Without Micrometer's context propagation, which clears it anyway. */
    @Test
    void aLogInOfTheTaskIsGoneAfterwards() {
        SecurityContextHolderThreadLocalAccessor security = new SecurityContextHolderThreadLocalAccessor();
        ContextRegistry.getInstance().removeThreadLocalAccessor((String) security.key());
        try {
            CallerContext.capture(CurrentRequest.none())
                    .on(Runnable::run)
                    .execute(() -> SecurityContextHolder.getContext()
                            .setAuthentication(new TestingAuthenticationToken("system", "")));

            assertThat(SecurityContextHolder.getContext().getAuthentication()).isNull();
        } finally {
            SecurityContextHolder.clearContext();
            ContextRegistry.getInstance().registerThreadLocalAccessor(security);
        }
    }

    /** As of another thread that subscribes, to which the caller's context is given while the method runs. */
    @Test
    void whatTheThreadHeldIsThereAgainAfterACallerThatHeldNothing() {
        MDC.clear();
        CallerContext nothing = CallerContext.capture(CurrentRequest.none());
        MDC.put("trace", "subscriber's");

        CallerContext.Opened opened = nothing.open();
        assertThat(MDC.get("trace")).isNull();
        opened.undoUnchanged();

        assertThat(MDC.get("trace")).isEqualTo("subscriber's");
    }

    @ParameterizedTest
    @EnumSource
    void theOthersAreThereAndGoneAfterwards(Step failing) {
        ContextRegistry.getInstance()
                .registerThreadLocalAccessor(new Part("before", before, null))
                .registerThreadLocalAccessor(new Part("broken", broken, failing))
                .registerThreadLocalAccessor(new Part("after", after, null));
        Executor executor = CallerContext.capture(CurrentRequest.none()).on(Runnable::run);
        before.remove();
        broken.remove();
        after.remove();
        MDC.clear();

        List<String> seen = new ArrayList<>();
        executor.execute(() -> seen.addAll(List.of(before.get(), after.get(), MDC.get("trace"))));

        assertThat(seen).containsOnly("caller's").hasSize(3);
        assertThat(before.get()).isNull();
        assertThat(after.get()).isNull();
        assertThat(MDC.get("trace")).isNull();
    }
}
