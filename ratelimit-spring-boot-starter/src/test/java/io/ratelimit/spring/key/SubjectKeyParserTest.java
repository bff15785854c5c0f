package io.ratelimit.spring.key;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.spring.InvalidRateLimitException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

class SubjectKeyParserTest {

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final SubjectKeyParser keys = new SubjectKeyParser(beans, new Expressions(beans));

    @ParameterizedTest
    @ValueSource(strings = {"", "IP", "user", "header:", "header", "body:userId", ":X-User", "userId"})
    void saysWhatAKeyMayBe(String key) {
        assertThatThrownBy(() -> keys.parse(key, "rate-limiter.routes.api", null))
                .isInstanceOf(InvalidRateLimitException.class)
                .hasMessageStartingWith("rate-limiter.routes.api: key '%s' is unknown: use ip, principal,", key);
    }

    @Test
    void aBeanThatIsNoKeyResolverIsNoKey() {
        beans.registerSingleton("tenants", new Object());

        assertThatThrownBy(() -> keys.parse("tenants", "rate-limiter.key", null))
                .isInstanceOf(InvalidRateLimitException.class)
                .hasMessageContaining("key 'tenants' is unknown");
    }
}
