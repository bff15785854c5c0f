package io.ratelimit.spring.internal.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.MappingMatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.server.PathContainer;
import org.springframework.mock.web.MockHttpServletMapping;
import org.springframework.mock.web.MockHttpServletRequest;

/** Undertow gives a servlet the dot segments that it was found by. */
class RoutePathTest {

    @ParameterizedTest
    @CsvSource({"/legacy/../a, /../a", "/legacy/%2e%2e/a, /../a", "/legacy/x/../../a, /x/../../a", "/legacy/.., /.."})
    void whatAServletIsGivenIsBelowItsOwnPath(String sent, String info) {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", sent);
        request.setServletPath("/legacy");
        request.setPathInfo(info);
        request.setHttpServletMapping(new MockHttpServletMapping("legacy", "/legacy/*", "legacy", MappingMatch.PATH));

        assertThat(RoutePath.of(request)).extracting(PathContainer::value).contains("/legacy" + info);
    }
}
