package io.ratelimit.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.server.PathContainer;

/** What an application may take for the path of a request. */
class RequestPathsTest {

    @ParameterizedTest
    @ValueSource(strings = {"/", "/api", "/api/users/7", "/API/a-b_c", "/api/users/", "/a.b/c"})
    void oneReadingOfAPathThatIsReadAlikeByAll(String path) {
        assertThat(readings(path, path)).containsExactly(path);
    }

    @ParameterizedTest
    @CsvSource({
        "//api, //api, //api /api",
        "/api//x, /api//x, /api//x /api/x",
        "/a.txt/, /a.txt/, /a.txt/ /a.txt",
        "/api/../x, /x, /api/../x /x",
        "/%61pi, /api, /%61pi /api",
        "/api;v=1, /api, /api;v=1 /api",
        "/a%2Fb, /a%2Fb, /a%2Fb /a/b",
        "/a%252Fb, /a%2Fb, /a%252Fb /a%2Fb /a/b",
        "/a.txt%2520, /a.txt%20, /a.txt%2520 /a.txt%20 /a.txt",
        "/100%25, /100%, /100%25 /100%"
    })
    void eachReadingOfOthers(String sent, String decoded, String readings) {
        assertThat(readings(sent, decoded)).containsExactly(readings.split(" "));
    }

    /** Below the path of a servlet, or a base path, a handler of "" answers both. */
    @Test
    void theEmptyPathIsTheRootToo() {
        assertThat(readings("", "")).containsExactly("", "/");
    }

    @Test
    void aPathThatTheServerHasChangedHasTwo() {
        assertThat(readings("/api", "/app")).containsExactly("/api", "/app");
    }

    private static List<String> readings(String sent, String decoded) {
        return RequestPaths.of(PathContainer.parsePath(sent), decoded).stream()
                .map(PathContainer::value)
                .toList();
    }
}
