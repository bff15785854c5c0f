package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.ratelimit.spring.KeyResolver;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.testing.FakeRequest;
import io.ratelimit.spring.testing.LogCapture;
import java.io.IOException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

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
        beans.registerSingleton("kotlin", (KeyResolver) view -> SubjectKeyTest.<RuntimeException>undeclared());
    }

    /** Throws a checked exception, as Kotlin does. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> String undeclared() throws E {
        throw (E) new IOException("cannot tell");
    }

    @ParameterizedTest
    @CsvSource({
        "ip, ip:203.0.113.9",
        "principal, principal:carol",
        "caller, principal:carol",
        "global, global",
        "header:X-User, header:x-user:alice",
        "header:x-user, header:x-user:alice",
        "cookie:session, cookie:session:s1",
        "param:userId, param:userId:bob",
        "#request.header('X-User'), value:alice",
        "#principal.name, value:carol",
        "#principal, value:carol",
        "#request.principal(), value:carol",
        "'''fixed''', value:fixed"
    })
    void namesTheSubject(String key, String subject) {
        assertThat(subject(key, request)).isEqualTo(subject);
    }

    @ParameterizedTest
    @MethodSource("values")
    void aValueThatIsNoneOrNotThereYetCountsTheAddress(Object value, String subject) {
        beans.registerSingleton("found", new AtomicReference<>(value));
        SubjectKey key = keys.parse("@found.get()", "here", null);
        assertThat(key.subject(new Call(request, () -> expressions.over(request))))
                .isEqualTo(subject);
    }

    static Stream<Arguments> values() {
        return Stream.of(
                Arguments.of(Optional.empty(), "ip:203.0.113.9"),
                Arguments.of(Optional.of("acme"), "value:acme"),
                Arguments.of(CompletableFuture.completedFuture("acme"), "ip:203.0.113.9"),
                Arguments.of(Mono.just("acme"), "ip:203.0.113.9"),
                Arguments.of(Flux.just("acme"), "ip:203.0.113.9"),
                Arguments.of(new Object(), "ip:203.0.113.9"),
                Arguments.of(7, "value:7"),
                Arguments.of(List.of("a", "b"), "value:[a, b]"));
    }

    @ParameterizedTest
    @CsvSource({"ip, 1", "param:userId, 1", "principal, 1", "caller, 0", "global, 0"})
    void warnsOnceThatAKeyOfARequestFindsNone(String key, int warnings) {
        SubjectKey parsed = keys.parse(key, "here", null);
        try (LogCapture log = LogCapture.start()) {
            for (int i = 0; i < 3; i++) {
                assertThat(parsed.subject(new Call(null, StandardEvaluationContext::new)))
                        .isEqualTo("global");
            }
            assertThat(log.messages(Level.WARN))
                    .hasSize(warnings)
                    .allMatch(text -> text.contains(": here: key '" + key + "'"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "POST, 0, 100, 1", // the first of them that has the parameter, all of them, warnings
        "PUT, 0, 100, 1",
        "POST, 0, 99, 0",
        "POST, 99, 300, 0",
        "GET, 0, 300, 0"
    })
    void warnsOnceOfAParameterThatNoneOfTheFirstHundredBodiesCameWith(String method, int had, int all, int warnings) {
        SubjectKey parsed = keys.parse("param:username", "here", null);
        try (LogCapture log = LogCapture.start()) {
            for (int i = 1; i <= all; i++) {
                FakeRequest one = new FakeRequest("203.0.113.9").withMethod(method);
                parsed.subject(
                        new Call(i == had ? one.withParam("username", "alice") : one, StandardEvaluationContext::new));
            }
            assertThat(log.messages(Level.WARN))
                    .hasSize(warnings)
                    .allMatch(text -> text.startsWith("RL-460: here: none of the first 100 requests with a body had the"
                            + " query parameter 'username'"))
                    .allMatch(text -> text.contains("@RateLimited(key = \"#body.username\")"));
        }
    }

    @Test
    void anExplainedRequestIsNoneOfTheFirstHundred() {
        SubjectKey parsed = keys.parse("param:username", "here", null);
        FakeRequest post = new FakeRequest("203.0.113.9").withMethod("POST");
        try (LogCapture log = LogCapture.start()) {
            for (int i = 0; i < 200; i++) {
                parsed.subject(Call.explained(post, StandardEvaluationContext::new, name -> null, note -> {}));
            }
            assertThat(log.messages(Level.WARN)).isEmpty();
        }
    }

    @Test
    void warnsWithThePlaceAndWhereTheApplicationFailed() {
        try (LogCapture log = LogCapture.start()) {
            subject("failing", request);

            assertThat(log.messages(Level.WARN))
                    .singleElement()
                    .asString()
                    .contains(
                            "here: key 'failing' failed, the client's address is counted",
                            "java.lang.IllegalStateException at io.ratelimit.spring.internal.rule.SubjectKeyTest.",
                            "SubjectKeyTest.java:")
                    .doesNotContain("cannot tell");
        }
    }

    @Test
    void asksTheResolverBean() {
        assertThat(subject("tenant", request.withHeader("X-Tenant", "acme"))).isEqualTo("value:acme");
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
                "kotlin",
                "@kotlin.resolve(#request)",
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
    @ValueSource(strings = {"ip:203.0.113.9", "principal:carol", "header:x-user:alice", "value:x", "global"})
    void noValueCanClaimASubjectOfAnotherKind(String claimed) {
        FakeRequest attacker = new FakeRequest("198.51.100.1")
                .withHeader("X-User", claimed)
                .withPrincipal(claimed)
                .withHeader("X-Tenant", claimed);

        assertThat(subject("header:X-User", attacker)).isEqualTo("header:x-user:" + claimed);
        assertThat(subject("caller", attacker)).isEqualTo("principal:" + claimed);
        assertThat(subject("tenant", attacker)).isEqualTo("value:" + claimed);
    }

    @Test
    void theNameOfASourceCannotRunIntoAValue() {
        FakeRequest view = new FakeRequest("198.51.100.1").withParam("a:b", "c").withParam("a", "b:c");

        assertThat(subject("param:a:b", view)).isNotEqualTo(subject("param:a", view));
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

    interface Users {
        void find(String requestId, String principalName, String user);

        void hide(String request, String principal);
    }

    @ParameterizedTest
    @CsvSource({
        "#requestId, false",
        "#principalName, false",
        "#user + ':principal', false",
        "@authentication.concat(#user), false",
        "global, false",
        "#request.path(), true",
        "#user + #request.path(), true",
        "#principal?.name, true",
        "@tenant.resolve(#request), true",
        "tenant, true",
        "ip, true"
    })
    void knowsWhetherItNeedsTheRequest(String key, boolean needs) throws Exception {
        beans.registerSingleton("authentication", "by-");
        Method find = Users.class.getMethod("find", String.class, String.class, String.class);
        assertThat(keys.parse(key, "here", find).needsRequest()).isEqualTo(needs);
    }

    @ParameterizedTest
    @ValueSource(strings = {"#request", "#principal", "#p0"})
    void anArgumentNamedAsTheRequestNeedsNone(String key) throws Exception {
        Method hide = Users.class.getMethod("hide", String.class, String.class);
        assertThat(keys.parse(key, "here", hide).needsRequest()).isFalse();
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

    @ParameterizedTest
    @CsvSource({
        "#principal.name.toLowerCase(), ",
        "#request.principal().name, ",
        "#request.header('x-principal-org').toLowerCase(), ip:203.0.113.9",
        "#request.header(\"authentication\").toLowerCase(), ip:203.0.113.9",
        "#request.header('it''s principal').toLowerCase(), ip:203.0.113.9"
    })
    void aLevelThatFailsAppliesToNobodyOnlyIfItNamesThePrincipal(String key, String subject) {
        FakeRequest anonymous = new FakeRequest("203.0.113.9");

        assertThat(keys.parse(key, "here", null)
                        .ofLevel()
                        .subject(new Call(anonymous, () -> expressions.over(anonymous))))
                .isEqualTo(subject);
    }

    private String subject(String key, RequestView view) {
        Call call = new Call(view, () -> expressions.over(view == null ? new FakeRequest("") : view));
        return keys.parse(key, "here", null).subject(call);
    }
}
