package io.ratelimit.spring.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteHostTest {

    @ParameterizedTest
    @CsvSource({
        "api.github.com, https://api.github.com/repos, true",
        "API.GitHub.com, https://api.github.com, true",
        "api.github.com, https://api.GITHUB.com:8443/x, true",
        "api.github.com, https://github.com, false",
        "api.github.com, https://api.github.com.evil.example, false",
        "api.github.com, https://evil@api.github.com/x, true",
        "api.github.com, https://api.github.com@evil.example, false",
        "*.github.com, https://api.github.com, true",
        "*.github.com, https://a.b.github.com, true",
        "*.github.com, https://github.com, false",
        "*.github.com, https://evilgithub.com, false",
        "localhost:8080, http://localhost:8080, true",
        "localhost:8080, http://localhost, false",
        "localhost:80, http://localhost/x, true",
        "localhost:443, https://localhost/x, true",
        "my_service, http://my_service/x, true",
        "10.0.0.7, http://10.0.0.7:9000/, true",
        "[::1], http://[::1]:9000/, true",
        "api.github.com, https://api.github.com./repos, true",
        "*.github.com, https://api.github.com.:8443/repos, true",
        "api.github.com, https://api.github.com:/repos, true",
        "api.github.com, https://api.github.com.:, true",
        "api.github.com:443, https://api.github.com:, true",
        "api.github.com:443, https://api.github.com:000443/x, true",
        "api.github.com:80, http://user@api.github.com:0000000080, true",
        "[::1]:80, http://[::1]:, true",
        "api.github.com, https://api.github.com:65536, false",
        "api.github.com, https://api.github.com:99999999999, false",
        "xn--bcher-kva.example, http://b\u00fccher.example:8080/, true",
        "xn--bcher-kva.example, http://B\u00dcCHER.example./, true",
        "*.xn--bcher-kva.example, https://api.b\u00fccher.example, true",
        "xn--e1afmkfd.xn--p1ai, http://\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444:8080/, true",
        "xn--e1afmkfd.xn--p1ai:80, http://\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444./, true",
        "localhost, /relative, false"
    })
    void aRequestBelongsToTheHostThatItIsSentTo(String host, URI uri, boolean belongs) {
        assertThat(RemoteHost.of(uri)
                        .filter(RemoteHost.parse(host).orElseThrow()::includes)
                        .isPresent())
                .isEqualTo(belongs);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://api.github.com",
                "api.github.com/v1",
                "api github com",
                "",
                "*",
                "*.",
                "a*.example.com",
                ".example.com",
                "example.com.",
                "-a.example.com",
                "example.com:",
                "example.com:0",
                "example.com:000443",
                "example.com:65536",
                "example.com:http",
                "user@example.com",
                "größe.example.com"
            })
    void whatIsNoHostIsNotReadAsOne(String text) {
        assertThat(RemoteHost.parse(text)).isEmpty();
    }

    @Test
    void aHostSaysMoreThanADomainAndAPortMoreThanNone() {
        assertThat(precision("api.example.com:80"))
                .isGreaterThan(precision("api.example.com"))
                .isGreaterThan(precision("*.example.com"));
        assertThat(precision("api.example.com")).isGreaterThan(precision("*.a.very.long.domain.example.com:8080"));
        assertThat(precision("*.b.example.com")).isGreaterThan(precision("*.example.com"));
    }

    private static int precision(String host) {
        return RemoteHost.parse(host).orElseThrow().precision();
    }
}
