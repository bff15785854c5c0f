package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.internal.rule.ClientAddresses;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** A parameter is the one that the handler gets, and no body is read for it. */
class QueryOfServletTest {

    private final ClientAddresses addresses = new ClientAddresses(List.of(), null, 64);

    /** Undertow's answer to {@code GET /check??user=random&user=alice}. */
    @Test
    void isReadAsTheServerReadsIt() {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setQueryString("user=random&user=alice");
        request.setParameter("?user", "random");
        request.setParameter("user", "alice");

        assertThat(user(request)).isEqualTo("alice");
    }

    @Test
    void isReadByItselfWhereTheServerWouldReadTheBodyOrFails() {
        MockHttpServletRequest form = new MockHttpServletRequest() {
            @Override
            public String getParameter(String name) {
                throw new IllegalStateException("read");
            }
        };
        form.setQueryString("user=alice");
        assertThat(user(form)).isEqualTo("alice");

        form.setContentType("Application/X-WWW-Form-urlencoded; charset=UTF-8");
        assertThat(user(form)).isEqualTo("alice");
    }

    /** Servers read it for any method, as soon as a parameter is asked for. */
    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "POST"})
    void isReadByItselfOfAMultipartForm(String method) {
        MockHttpServletRequest form = new MockHttpServletRequest(method, "/check");
        form.setContentType("Multipart/form-data; boundary=x");
        form.setQueryString("user=alice");
        form.setParameter("user", "of the body");

        assertThat(user(form)).isEqualTo("alice");
    }

    /** Any client may send such a type. */
    @ParameterizedTest
    @CsvSource({
        "GET, application/x-www-form-urlencoded",
        "HEAD, application/x-www-form-urlencoded",
        "POST, application/json;x=form",
        "POST, application/xform"
    })
    void isReadAsTheServerReadsItWhereThatReadsNoForm(String method, String type) {
        MockHttpServletRequest request = new MockHttpServletRequest(method, "/check");
        request.setContentType(type);
        request.setQueryString("user=random&user=alice");
        request.setParameter("?user", "random");
        request.setParameter("user", "alice");

        assertThat(user(request)).isEqualTo("alice");
    }

    private String user(MockHttpServletRequest request) {
        return new ServletRequestView(request, addresses).param("user");
    }
}
