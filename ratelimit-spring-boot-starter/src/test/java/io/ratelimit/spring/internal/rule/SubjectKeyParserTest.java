package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.spring.InvalidRateLimitException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
                .hasMessageStartingWith(
                        "RL-401: rate-limiter.routes.api: key '%s' is unknown: use ip, principal,", key);
    }

    @Test
    void aBeanThatIsNoKeyResolverIsNoKey() {
        beans.registerSingleton("tenants", new Object());

        assertThatThrownBy(() -> keys.parse("tenants", "rate-limiter.key", null))
                .isInstanceOf(InvalidRateLimitException.class)
                .hasMessageContaining("key 'tenants' is unknown");
    }

    @ParameterizedTest
    @CsvSource({
        "header: X-A, header, ' X-A'",
        "header:a b, header, a b",
        "header:X-A:, header, X-A:",
        "header:ü, header, ü",
        "cookie:a b, cookie, a b",
        "cookie:sid=, cookie, sid=",
        "'cookie:sid ', cookie, 'sid '",
        "param: q, query parameter, ' q'",
        "'param:q ', query parameter, 'q '"
    })
    void aNameThatNoRequestCanHaveIsAnError(String key, String kind, String name) {
        assertThatThrownBy(() -> keys.parse(key, "rate-limiter.key", null))
                .isInstanceOf(InvalidRateLimitException.class)
                .hasMessageStartingWith(
                        "RL-401: rate-limiter.key: key '%s' names a %s '%s', which no request can have",
                        key, kind, name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "header:X-Api_Key.1",
                "cookie:__Host-sid",
                "cookie:a!b",
                "param:a&b",
                "param:a b",
                "param:user[id]"
            })
    void aNameThatARequestCanHaveIsFine(String key) {
        assertThat(keys.parse(key, "rate-limiter.key", null).text()).isEqualTo(key);
    }
}
