package io.ratelimit.sample.playground;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.SettableClock;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;

/** What the page asks of the server, without the page. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@Import(VirtualTime.class)
class PlaygroundApiTest {

    private static final long WINDOW = 10_000_000;

    @LocalServerPort
    private int port;

    @Autowired
    private SettableClock clock;

    @ParameterizedTest
    @CsvSource({
        "fixed-window, 100",
        "sliding-window-counter, 55",
        "sliding-window-counter&buckets=10, 50",
        "sliding-window-log, 50",
        "token-bucket, 60"
    })
    void burstsOnBothSidesOfABoundaryAdmit(String algorithm, int admitted) {
        long boundary = (clock.nowMicros() / WINDOW + 2) * WINDOW;
        String limit = "algorithm=" + algorithm + "&maxRequests=50&window=10&requests=50&run=" + algorithm.length();

        String before = decide(limit + "&at=" + (boundary - 1_000_000)).header("Playground-Decisions");
        String after = decide(limit + "&at=" + (boundary + 1_000_000)).header("Playground-Decisions");

        assertThat(allowed(before) + allowed(after)).isEqualTo(admitted);
    }

    @Test
    void theResponseIsTheOneOfALimitedEndpoint() {
        String limit = "algorithm=fixed-window&maxRequests=2&window=10&run=response";

        Answer allowed = decide(limit);
        assertThat(allowed.status()).isEqualTo(200);
        assertThat(allowed.header("RateLimit-Policy")).isEqualTo("\"playground-fixed-window\";q=2;w=10");
        assertThat(allowed.header("Playground-Decisions")).isEqualTo("allowed;r=1;by=store");
        assertThat(allowed.header("Playground-Decided-At")).isEqualTo(String.valueOf(clock.nowMicros()));

        Answer refused = decide(limit + "&cost=2");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.header("Retry-After")).isNotNull();
        assertThat(refused.header("Playground-Decisions"))
                .isEqualTo("refused;r=1;t=" + leftOfTheWindow() + ";by=store");
        assertThat(refused.body()).contains("\"violated-policies\":[\"playground-fixed-window\"]");
    }

    @Test
    void aLookChargesNothing() {
        String limit = "algorithm=token-bucket&maxRequests=1&window=60&run=look";
        decide(limit);

        for (int i = 0; i < 2; i++) {
            Answer looked = decide(limit + "&requests=0");
            assertThat(looked.status()).isEqualTo(200);
            assertThat(looked.header("Playground-Decisions")).isEqualTo("refused;r=0;t=60000000;by=store");
        }
    }

    @Test
    void runsAndClientsHaveTheirOwnQuota() {
        String limit = "algorithm=fixed-window&maxRequests=1&window=60";
        assertThat(decide(limit + "&run=a").status()).isEqualTo(200);
        assertThat(decide(limit + "&run=b").status()).isEqualTo(200);
        assertThat(decide(limit + "&run=a&client=1").status()).isEqualTo(200);
        assertThat(decide(limit + "&run=a").status()).isEqualTo(429);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "maxRequests=0 | maxRequests '0' must be at least 1 and at most 1000",
                "maxRequests=1001 | maxRequests '1001' must be at least 1 and at most 1000",
                "maxRequests=1000000000000000000 | '1000000000000000000' must be at least 1 and at most 1000",
                "maxRequests=99999999999999999999 | '99999999999999999999' must be at least 1 and at most 1000",
                "maxRequests=0x10 | maxRequests '0x10' is not a whole number",
                "maxRequests=%23A | maxRequests '#A' is not a whole number",
                "maxRequests=%D9%A3 | is not a whole number",
                "maxRequests=%2B3 | maxRequests '+3' is not a whole number",
                "burst=20 | burst '20' is not supported by fixed-window",
                "buckets=10 | sliding-window-counter",
                "algorithm=sliding-window-counter&buckets=1 | buckets '1' must be at least 2 and at most 3600",
                "algorithm=sliding-window-counter&buckets=7 | buckets '7'",
                "window=3600 | window '3600' must be at least 1 and at most 60",
                "window=1h | window '1h' is not a whole number",
                "window= | window '' is not a whole number",
                "cost=0 | cost '0' must be at least 1",
                "at=-9223372036854775808 | at '-9223372036854775808' must be at least 0",
                "at=9223372036854775807 | at '9223372036854775807' must be at least 0 and at most",
                "cost=11 | cost '11' can never fit",
                "requests=101 | requests '101' must be at least 0 and at most 100",
                "client=10 | client '10' must be at least 0 and at most 9",
                "run=A | run must be 1 to 16 lower-case letters and digits",
                "algorithm=concurrency | algorithm 'concurrency' is not in the playground",
                "algorithm=leaky | 'leaky' is not an algorithm",
                "algorithm=token-bucket&burst=2000 | burst '2000' must be at least 1 and at most 1000",
                "onStoreFailure=shut | on-store-failure 'shut' is not a policy",
            })
    void whatCannotWorkIsExplained(String changed, String message) {
        String query = "algorithm=fixed-window&maxRequests=10&window=10&run=r";
        for (String parameter : changed.split("&", -1)) {
            String name = parameter.substring(0, parameter.indexOf('='));
            query = query.replaceAll("(^|&)" + name + "=[^&]*", "$1").replace("&&", "&") + "&" + parameter;
        }
        Answer answer = decide(query);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("\"detail\":\"").contains(message);
    }

    @Test
    void parametersThatAreMissingAreNamed() {
        String numbers = "maxRequests=1&window=1";
        assertThat(decide("window=1").body()).contains("maxRequests is missing");
        assertThat(decide(numbers).body()).contains("use-algo '' is not an algorithm");
        assertThat(decide(numbers + "&algorithm=fixed-window").body()).contains("run must be");
    }

    @Test
    void aParameterThatIsGivenTwiceIsRejected() {
        Answer answer = decide("algorithm=fixed-window&maxRequests=10&window=10&run=r&window=20");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("window is given 2 times: give it once");
    }

    @Test
    void pagesOfTheSameMachineMayAsk() {
        String asked = "http://localhost:" + port + "/playground";
        Answer near = Http.send("GET", asked, "Origin", "http://localhost:1");
        assertThat(near.header("Access-Control-Allow-Origin")).isEqualTo("http://localhost:1");
        assertThat(near.body()).contains("\"store\":\"memory\"").contains("\"nowMicros\":" + clock.nowMicros());
        assertThat(Http.send("GET", asked, "Origin", "https://example.org").status())
                .isEqualTo(403);
    }

    private Answer decide(String query) {
        return Http.send("POST", "http://localhost:" + port + "/playground/decisions?" + query);
    }

    private long leftOfTheWindow() {
        return WINDOW - clock.nowMicros() % WINDOW;
    }

    private static long allowed(String decisions) {
        return Pattern.compile("allowed").matcher(decisions).results().count();
    }
}
