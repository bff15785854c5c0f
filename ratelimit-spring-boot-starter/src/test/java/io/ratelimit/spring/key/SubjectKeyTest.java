package io.ratelimit.spring.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.KeyResolver;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.testing.FakeRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

class SubjectKeyTest {

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final Expressions expressions = new Expressions(beans);
    private final SubjectKeyParser keys = new SubjectKeyParser(beans, expressions);
    private final FakeRequest request = new FakeRequest("203.0.113.9")
            .withHeader("X-User", "alice")
            .withCookie("session", "s1")
            .withParam("userId", "bob")
            .withPrincipal("carol");

    SubjectKeyTest() {
        beans.registerSingleton("tenant", (KeyResolver) view -> view.header("X-Tenant"));
        beans.registerSingleton("failing", (KeyResolver) view -> {
            throw new IllegalStateException("cannot tell");
        });
    }

    @ParameterizedTest
    @CsvSource({
        "ip, ip:203.0.113.9",
        "principal, carol",
        "caller, carol",
        "global, global",
        "header:X-User, alice",
        "header:x-user, alice",
        "cookie:session, s1",
        "param:userId, bob",
        "#request.header('X-User'), alice",
        "#principal.name, carol",
        "'''fixed''', fixed"
    })
    void namesTheSubject(String key, String subject) {
        assertThat(subject(key, request)).isEqualTo(subject);
    }

    @Test
    void asksTheResolverBean() {
        assertThat(subject("tenant", request.withHeader("X-Tenant", "acme"))).isEqualTo("acme");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "principal",
                "caller",
                "header:X-User",
                "cookie:session",
                "param:userId",
                "tenant",
                "failing",
                "#principal?.name",
                "#principal.name",
                "#request.header('X-User')",
                "@failing.resolve(#request)",
                "' '"
            })
    void countsTheAddressWhereAKeyResolvesToNothing(String key) {
        assertThat(subject(key, new FakeRequest("203.0.113.9"))).isEqualTo("ip:203.0.113.9");
        assertThat(subject(key, new FakeRequest("203.0.113.10"))).isEqualTo("ip:203.0.113.10");
    }

    @Test
    void countsTheAddressForABlankValue() {
        assertThat(subject("header:X-User", new FakeRequest("203.0.113.9").withHeader("X-User", "  ")))
                .isEqualTo("ip:203.0.113.9");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ip", "principal", "caller", "header:X-User", "tenant", "#principal?.name"})
    void countsEverybodyTogetherOutsideAWebRequest(String key) {
        assertThat(subject(key, null)).isEqualTo("global");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ip:203.0.113.9", "value:ip:203.0.113.9", "global"})
    void noValueCanClaimAnAddressOrTheBucketOfEverybody(String claimed) {
        String byHeader = subject("header:X-User", new FakeRequest("198.51.100.1").withHeader("X-User", claimed));
        String byPrincipal = subject("caller", new FakeRequest("198.51.100.1").withPrincipal(claimed));

        assertThat(byHeader).isEqualTo(byPrincipal);
        assertThat(byHeader).isNotIn("ip:203.0.113.9", "global", claimed);
    }

    @Test
    void differentClaimsStayDifferentSubjects() {
        assertThat(subject("header:X-User", new FakeRequest("198.51.100.1").withHeader("X-User", "ip:1")))
                .isNotEqualTo(
                        subject("header:X-User", new FakeRequest("198.51.100.1").withHeader("X-User", "value:ip:1")));
    }

    @ParameterizedTest
    @CsvSource({
        "principal, true",
        "caller, true",
        "#principal?.name, true",
        "ip, false",
        "global, false",
        "header:X-User, false",
        "tenant, false",
        "#request.header('X-User'), false"
    })
    void knowsWhetherItNeedsThePrincipal(String key, boolean needs) {
        assertThat(keys.parse(key, "here", null).needsPrincipal()).isEqualTo(needs);
    }

    @Test
    void asksTheResolverWhetherItNeedsThePrincipal() {
        beans.registerSingleton("late", new KeyResolver() {
            @Override
            public String resolve(RequestView view) {
                return null;
            }

            @Override
            public boolean needsPrincipal() {
                return true;
            }
        });

        assertThat(keys.parse("late", "here", null).needsPrincipal()).isTrue();
    }

    private String subject(String key, RequestView view) {
        Call call = new Call(view, () -> expressions.over(view == null ? new FakeRequest("") : view));
        return keys.parse(key, "here", null).subject(call);
    }
}
