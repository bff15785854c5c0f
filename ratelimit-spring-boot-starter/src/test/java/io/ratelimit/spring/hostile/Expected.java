package io.ratelimit.spring.hostile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** What every response must be, whatever was sent. */
final class Expected {

    private static final String LIMIT = "\"(header|param|cookie|ip|spel|called|priced)\"";
    private static final Pattern POLICY = Pattern.compile(LIMIT + ";q=60;w=31622400");
    private static final Pattern STATE = Pattern.compile(LIMIT + ";r=[0-9]{1,2};t=[0-9]{1,9}");
    private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,8}");
    private static final Pattern PROBLEM = Pattern.compile(
            "\\{\"type\":\"https://iana\\.org/assignments/http-problem-types#quota-exceeded\",\"title\":\"[A-Za-z ]+\""
                    + ",\"status\":429,\"violated-policies\":\\[" + LIMIT + "]}");

    private static final Set<String> HEADERS = caseInsensitive(
            "RateLimit-Policy",
            "RateLimit",
            "X-RateLimit-Limit",
            "X-RateLimit-Remaining",
            "X-RateLimit-Reset",
            "Retry-After",
            "Cache-Control",
            "Content-Type",
            "Content-Length",
            "Content-Language",
            "Content-Disposition", // of Spring, for a path that ends like a file
            "Transfer-Encoding",
            "Date",
            "Connection",
            "Keep-Alive",
            "Allow",
            "Accept-Patch",
            "Access-Control-Expose-Headers", // names of headers, for requests with an Origin
            "Vary");

    private Expected() {}

    static void check(RawRequest request, RawResponse response) {
        assertThat(response.status()).isBetween(200, 499);
        assertThat(response.headers()).allSatisfy(header -> {
            assertThat(HEADERS).contains(header.name());
            assertThat(header.value()).doesNotContain(HostileText.MARK, HostileText.FORGED);
        });
        String state = response.header("RateLimit");
        if (state == null) {
            checkNoneIsMissing(request, response);
        } else {
            checkHeaders(response, state);
        }
        if (response.status() == 429) {
            checkRefusal(request, response);
        }
    }

    /** What a handler answered was counted, but for OPTIONS, which Spring answers by itself. */
    private static void checkNoneIsMissing(RawRequest request, RawResponse response) {
        assertThat(response.headers())
                .noneMatch(header -> header.name().toLowerCase(Locale.ROOT).contains("ratelimit"));
        assertThat(response.status() < 300 && !request.method().equals("OPTIONS"))
                .as("answered without being counted")
                .isFalse();
        assertThat(response.status()).isNotEqualTo(429);
    }

    private static void checkHeaders(RawResponse response, String state) {
        assertThat(state).matches(STATE);
        assertThat(response.header("RateLimit-Policy"))
                .matches(POLICY)
                .startsWith(state.substring(0, state.indexOf(';')));
        assertThat(response.header("X-RateLimit-Limit")).isEqualTo("60");
        assertThat(response.header("X-RateLimit-Remaining")).matches(NUMBER);
        assertThat(response.header("X-RateLimit-Reset")).matches(NUMBER);
    }

    private static void checkRefusal(RawRequest request, RawResponse response) {
        assertThat(response.header("Retry-After")).matches("[1-9][0-9]{0,8}");
        assertThat(response.header("Cache-Control")).isEqualTo("no-store");
        assertThat(response.header("Content-Type")).isEqualTo("application/problem+json");
        if (!request.isHead()) {
            assertThat(response.body()).matches(PROBLEM);
        }
    }

    private static Set<String> caseInsensitive(String... names) {
        Set<String> set = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        set.addAll(Set.of(names));
        return set;
    }
}
