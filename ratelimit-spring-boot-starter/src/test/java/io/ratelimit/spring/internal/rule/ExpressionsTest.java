package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.testing.FakeRequest;
import java.lang.reflect.Method;
import java.security.Principal;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.security.authentication.TestingAuthenticationToken;

class ExpressionsTest {

    private final DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
    private final Expressions expressions = new Expressions(beans);

    record Customer(String id) {}

    record Order(Customer customer, int items) {}

    interface Orders {
        void place(Order order, String userId);

        void call(String request);

        void create(Order request, Customer principal);
    }

    @ParameterizedTest
    @CsvSource({
        "#order.customer.id, c7",
        "#userId, alice",
        "#p1, alice",
        "#a1, alice",
        "#order.items * 2, 6",
        "#request.clientAddress(), 203.0.113.9",
        "#principal.name, carol",
        "@prefix.concat(#userId), acme-alice"
    })
    void seesArgumentsRequestPrincipalAndBeans(String text, String value) throws Exception {
        beans.registerSingleton("prefix", "acme-");
        Method place = Orders.class.getMethod("place", Order.class, String.class);
        Object[] arguments = {new Order(new Customer("c7"), 3), "alice"};
        FakeRequest request = new FakeRequest("203.0.113.9").withPrincipal("carol");

        Object found =
                expressions.parse(text, "here", place).getValue(expressions.over(request, null, place, arguments));

        assertThat(found).hasToString(value);
    }

    @Test
    void anArgumentHidesWhatIsCalledTheSame() throws Exception {
        Method call = Orders.class.getMethod("call", String.class);
        FakeRequest request = new FakeRequest("203.0.113.9");

        assertThat(expressions
                        .parse("#request", "here", call)
                        .getValue(expressions.over(request, null, call, new Object[] {"mine"})))
                .isEqualTo("mine");
    }

    @ParameterizedTest
    @CsvSource({"#request.customer.id, c7", "#request.customer().id(), c7", "#principal.id, c8", "#p0.customer.id, c7"})
    void aMemberOfAnArgumentIsNoneOfTheRequest(String text, String value) throws Exception {
        Method create = Orders.class.getMethod("create", Order.class, Customer.class);
        FakeRequest request = new FakeRequest("203.0.113.9").withPrincipal("carol");
        Object[] arguments = {new Order(new Customer("c7"), 3), new Customer("c8")};

        assertThat(expressions.parse(text, "here", create).getValue(expressions.over(request, null, create, arguments)))
                .hasToString(value);
    }

    @ParameterizedTest
    @CsvSource({"#request, ", "#principal, ", "#request != null, false", "#principal == null, true"})
    void anArgumentIsNullAlsoIfItIsNamedAsWhatIsOfTheRequest(String text, String value) throws Exception {
        Method create = Orders.class.getMethod("create", Order.class, Customer.class);
        FakeRequest request = new FakeRequest("203.0.113.9").withPrincipal("carol");

        assertThat(expressions
                        .parse(text, "here", create)
                        .getValue(expressions.over(request, null, create, new Object[] {null, null}), String.class))
                .isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"#request.customer", "#principal", "#a0"})
    void anArgumentOfAMethodThatIsNotCalledIsNotKnown(String text) throws Exception {
        Method create = Orders.class.getMethod("create", Order.class, Customer.class);
        FakeRequest request = new FakeRequest("203.0.113.9").withPrincipal("carol");

        assertThatThrownBy(() -> expressions
                        .parse(text, "here", create)
                        .getValue(expressions.withoutArguments(request, this, create)))
                .isInstanceOf(NotKnownException.class);
    }

    /** What Spring Security authenticates has a principal of its own, such as the JWT of a token. */
    @ParameterizedTest
    @CsvSource({"#principal.claims['plan'], gold", "#principal.org, acme", "#principal.name, carol"})
    void readsWhatOnlyTheAuthenticatedUserHas(String text, String value) {
        TestingAuthenticationToken token =
                new TestingAuthenticationToken(new User("carol", "acme", Map.of("plan", "gold")), "pw");
        FakeRequest request = new FakeRequest("203.0.113.9").withPrincipal(token);

        assertThat(expressions.parse(text, "here", null).getValue(expressions.over(request)))
                .hasToString(value);
    }

    /** Named as an authenticated user is. */
    public record User(String name, String org, Map<String, Object> claims) implements Principal {
        @Override
        public String getName() {
            return name;
        }

        public String getOrg() {
            return org;
        }

        public Map<String, Object> getClaims() {
            return claims;
        }
    }

    @Test
    void namesTheVariablesThereAreInsteadOfAnUnknownOne() throws Exception {
        Method place = Orders.class.getMethod("place", Order.class, String.class);

        assertThatThrownBy(() -> expressions.parse("#user", "@RateLimited on Orders.place", place))
                .isInstanceOf(InvalidRateLimitException.class)
                .hasMessageStartingWith(
                        "RL-403: @RateLimited on Orders.place: '#user' names [user], but there is only ")
                .hasMessageContaining("order")
                .hasMessageContaining("userId");
        assertThatThrownBy(() -> expressions.parse("'x' + #userId.concat(#nick)", "here", null))
                .hasMessageContaining("nick");
    }

    @ParameterizedTest
    @ValueSource(strings = {"#", "#userId.", "'open", "#a +", "@"})
    void quotesWhatItCannotParse(String text) {
        assertThatThrownBy(() -> expressions.parse(text, "rate-limiter.routes.api", null))
                .isInstanceOf(InvalidRateLimitException.class)
                .hasMessageStartingWith("RL-402: rate-limiter.routes.api: '%s' is not a valid expression: ", text);
    }
}
