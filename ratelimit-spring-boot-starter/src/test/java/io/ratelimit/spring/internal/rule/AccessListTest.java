package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.internal.rule.AccessList.Kind;
import io.ratelimit.spring.testing.FakeRequest;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccessListTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.0.1, true",
        "10.0.0.0/8, 11.0.0.1, false",
        "10.0.0.0/8, 64:ff9b::10.0.0.1, true",
        "203.0.113.7, 203.0.113.7, true",
        "203.0.113.7, 203.0.113.8, false",
        "::ffff:10.0.0.0/104, 10.255.0.1, true",
        "::ffff:10.0.0.0/104, 11.0.0.1, false",
        "::ffff:0:0/96, 192.0.2.1, true",
        "2001:db8::/32, 2001:db8:9::1, true",
        "2001:db8::7, 2001:db8::8, false",
        "0.0.0.0/0, 2001:db8::8, false",
        "0.0.0.0/0, unknown, false"
    })
    void listsWholeAddresses(String entry, String address, boolean listed) {
        assertThat(list(Kind.DENY, entry).lists(new FakeRequest(address))).isEqualTo(listed);
    }

    @Test
    void listsPrincipalsAndHeadersByTheirExactValue() {
        AccessList list = list(Kind.DENY, "principal:a:b", "header:X-Key:c:d");
        FakeRequest request = new FakeRequest("192.0.2.1");

        assertThat(list.lists(request)).isFalse();
        assertThat(list.lists(request.withPrincipal("A:b").withHeader("x-key", "C:d")))
                .isFalse();
        assertThat(list.lists(request.withPrincipal("a:b"))).isTrue();
        assertThat(list.listsAnybody(request)).isFalse();
        assertThat(list.listsAnybody(request.withHeader("x-key", "c:d"))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*",
                "10.0.0.0/33",
                "10.0.0.0/",
                "010.0.0.1",
                "2001:db8::/129",
                "::ffff:10.0.0.0/8",
                "localhost",
                "principal:",
                "principal: ",
                "header:X-Key",
                "header:X-Key:",
                "header: X-Key:v",
                "header:X-Key: v",
                "header:X-Key:v ",
                "principal: mallory",
                "header::v",
                "ip:10.0.0.1",
                "alice"
            })
    void anEntryThatListsNobodyIsAnErrorThatQuotesIt(String entry) {
        assertThatThrownBy(() -> list(Kind.ALLOW, entry))
                .isInstanceOf(InvalidRateLimitException.class)
                .hasMessageContaining("'" + entry + "' lists nobody: write a network")
                .hasMessageContaining("rate-limiter.allow");
    }

    private static AccessList list(Kind kind, String... entries) {
        return new AccessList(kind, List.of(entries), "rate-limiter.allow", listed -> {});
    }
}
