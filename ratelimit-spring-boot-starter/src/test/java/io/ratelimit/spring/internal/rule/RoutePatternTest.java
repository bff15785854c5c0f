package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.spring.InvalidRateLimitException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.http.server.PathContainer;

/** What is written where a path pattern belongs, and matches no request. */
class RoutePatternTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "``          | is not a path: write one such as /api/**",
                "`  `        | is not a path: write one such as /api/**",
                "GET /a      | begins with an HTTP method: write 'GET' in methods and '/a' in paths",
                "post:/a/**  | begins with an HTTP method: write 'POST' in methods and '/a/**' in paths",
                "http://h/a  | is a URL: write its path alone, '/a'",
                "https://h:1 | is a URL: write its path alone, '/'",
                "`/a `       | begins or ends with a space: write '/a'",
                "` /a`       | begins or ends with a space: write '/a'",
                "/a?x=1      | has a query or a parameter, which is not part of a path: write '/a'",
                "/a;v=1/b    | has a query or a parameter, which is not part of a path: write '/a/b'",
                "/a%20b      | is matched after escapes are decoded: write '/a b'",
                "/caf%C3%A9/{x} | is matched after escapes are decoded: write '/café/{x}'",
                "//a         | has an empty or dot segment, which servers resolve: write '/a'",
                "/a//b/**    | has an empty or dot segment, which servers resolve: write '/a/b/**'",
                "/a/../b     | has an empty or dot segment, which servers resolve: write '/b'",
                "./a         | has an empty or dot segment, which servers resolve: write '/a'",
                "/api/.*     | is a regular expression: write the path pattern '/api/**'",
                "^/api/.*$   | is a regular expression: write the path pattern '/api/**'",
                "^/api/      | is a regular expression: write the path pattern '/api/'",
                "/api/?$     | is a regular expression: write the path pattern '/api'",
                "/api(/.*)?  | is a regular expression: write the path pattern '/api/**'",
                "/api/(.+)   | is a regular expression: write the path pattern '/api/**'",
                ".*          | is a regular expression: write the path pattern '/**'",
                "/a/.*/b     | is a regular expression: write the path pattern '/a/*/b'",
                "/a/[^/]+/b  | is a regular expression: write the path pattern '/a/*/b'",
                "`/api/(a|b)` | `is a regular expression: write the path pattern '/api/{name:a|b}'`",
                "/api/[a-z]+ | is a regular expression: write the path pattern '/api/{name:[a-z]+}'",
                "/api/v\\d+/x | is a regular expression: write the path pattern '/api/{name:v\\d+}/x'",
                "/a\\.json  | is a regular expression: write the path pattern '/a.json'",
                "`/v(1|2)(a)` | `is a regular expression: write the path pattern '/{name:v(?:1|2)(?:a)}'`",
                ".*/login    | is a regular expression: write a path pattern, in which * is a segment",
                "/v.*/{id}   | is a regular expression: write the path pattern '/{name:v.*}/{id}'",
                "/a, /b/.*   | holds several paths: write each as an element of its own, '/a' and '/b/**'",
                "/a,/b       | holds several paths: write each as an element of its own, '/a' and '/b'",
                "/a /b       | holds several paths: write each as an element of its own, '/a' and '/b'",
                "`/a|/b`     | holds several paths: write each as an element of its own, '/a' and '/b'",
                "/a/**/b/**  | is not a valid path pattern",
                "/api/{      | is not a valid path pattern"
            })
    void isAnErrorThatSaysWhatToWrite(String path, String message) {
        assertThatThrownBy(() -> RoutePattern.parse(path, "rate-limiter.routes.r.paths"))
                .isInstanceOf(InvalidRateLimitException.class)
                .hasMessageStartingWith("RL-203: rate-limiter.routes.r.paths: '%s' %s", path, message);
    }

    @ParameterizedTest
    @CsvSource({
        "a, /a",
        "/a b, /a%20b",
        "/c#, /c%23",
        "/a?, /ab",
        "/v?/{x:a?b=c}, /v1/b=c",
        "/{x:[0-9]{2};?}, /42",
        "/**, /a//b",
        "/*, /a",
        "/a/..., /a/...",
        "/get/a, /get/a",
        "'/a/{*rest}', /a/b/c",
        "/report.*, /report.pdf",
        "/{x:v[0-9]+|latest}, /v12",
        "/orders(1)/$value, /orders(1)/$value",
        "/c++, /c++",
        "'/a,b', '/a,b'",
        "/.well-known/*, /.well-known/x"
    })
    void isLeftAloneIfARequestMatchesIt(String path, String request) {
        assertThat(RoutePattern.parse(path, "paths").matches(PathContainer.parsePath(request)))
                .isTrue();
    }
}
