package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.rule.DelegatingRequest;
import io.ratelimit.spring.testing.FakeRequest;
import java.security.Principal;
import org.junit.jupiter.api.Test;

class UnknownPrincipalTest {

    /** As when the session cannot be read: only a key that needs it meets that. */
    @Test
    void aPrincipalThatCannotBeFoundFailsForThoseWhoAsk() {
        RequestView request = new DelegatingRequest(new FakeRequest("198.51.100.1")) {
            @Override
            public Principal principal() {
                throw new IllegalStateException("no session for the test");
            }
        };

        RequestView carried = new CarriedRequest(request).view().block();

        assertThat(carried.method()).isEqualTo(request.method());
        assertThatThrownBy(carried::principal).hasMessage("no session for the test");
    }
}
