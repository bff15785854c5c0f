package io.ratelimit.lab.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.lab.kit.Mark.Result;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The kit against a server in this process, right and with one fault at a time. */
class ChecksTest {

    private final KitServer server;

    ChecksTest() throws IOException {
        server = new KitServer();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private Checks checks(String... more) {
        return new Checks(server.options(more));
    }

    private Mark answers(String name) {
        KitOptions options = server.options();
        return new AnswerChecks(options, new Client(options))
                .run().stream()
                        .filter(mark -> mark.name().equals(name))
                        .findFirst()
                        .orElseThrow();
    }

    @Test
    void anExactLimiterPasses() {
        Checks checks = checks("--second-url=" + server.url("/second"), "--weighted-url=" + server.url("/two"));
        assertThat(List.of(
                        checks.oneAfterAnother(),
                        checks.atOnce("at once", List.of(URI.create(server.url("/")))),
                        checks.twoAddresses(),
                        checks.weighted(),
                        checks.apart(),
                        checks.hostile(),
                        checks.recovery()))
                .extracting(Mark::result)
                .containsOnly(Result.PASSED);
        KitOptions options = server.options();
        assertThat(new AnswerChecks(options, new Client(options)).run())
                .hasSize(6)
                .extracting(Mark::result)
                .containsOnly(Result.PASSED);
    }

    @Test
    void oneTooManyOrOneTooFewFails() {
        server.admits = KitServer.LIMIT + 2;
        assertThat(checks().atOnce("at once", List.of(URI.create(server.url("/"))))
                        .result())
                .isEqualTo(Result.FAILED);
        server.admits = KitServer.LIMIT - 1;
        assertThat(checks().oneAfterAnother().result()).isEqualTo(Result.FAILED);
    }

    @Test
    void aLimiterThatAdmitsEverythingFails() {
        server.admits = Integer.MAX_VALUE;
        assertThat(List.of(
                        checks().oneAfterAnother(),
                        checks().atOnce("at once", List.of(URI.create(server.url("/")))),
                        checks().recovery()))
                .extracting(Mark::result)
                .containsOnly(Result.FAILED);
    }

    @Test
    void whatIsDocumentedForAnyWindowIsAllowedAroundABoundary() {
        server.admits = 2 * KitServer.LIMIT;
        assertThat(checks("--window=2s").boundary().result()).isNotEqualTo(Result.PASSED);
        assertThat(checks("--window=2s", "--in-any-window=" + server.admits)
                        .boundary()
                        .result())
                .isNotEqualTo(Result.FAILED);
    }

    @Test
    void anotherSubjectThatIsRefusedFails() {
        server.oneForAll = true;
        server.forgets = false;
        assertThat(checks().apart().result()).isEqualTo(Result.FAILED);
    }

    @Test
    void hostileSubjectsThatAreRefusedFail() {
        server.oneForAll = true;
        server.forgets = false;
        assertThat(checks().hostile().finding()).contains("429 for one with '{}'");
    }

    @Test
    void aSubjectThatIsNeverFreeFails() {
        server.forgets = false;
        assertThat(checks().recovery().result()).isEqualTo(Result.FAILED);
        assertThat(answers("Retry-After is never early").finding()).isEqualTo("after 1 s status 429");
    }

    @Test
    void answersOfRefusalsAreChecked() {
        server.refusalStatus = 503;
        server.refusalBody = "";
        server.refusalHeaders.put("Retry-After", "0.5");
        server.refusalHeaders.remove("Cache-Control");
        server.refusalHeaders.put("RateLimit", "lab;r=0");
        assertThat(answers("refused with 429").finding()).isEqualTo("status 503");
        assertThat(answers("body").result()).isEqualTo(Result.FAILED);
        assertThat(answers("not stored").result()).isEqualTo(Result.FAILED);
        assertThat(answers("Retry-After").finding()).isEqualTo("Retry-After: 0.5");
        assertThat(answers("Retry-After is never early").result()).isEqualTo(Result.NOT_POSSIBLE);
        assertThat(answers("headers").finding()).contains("'lab;r=0' is not a string");
    }

    @Test
    void whatNeedsAnOptionIsNotPossibleWithoutIt() {
        assertThat(checks().twoAddresses()).isEqualTo(Mark.notPossible("exact at two addresses", "needs --second-url"));
        assertThat(checks().weighted().result()).isEqualTo(Result.NOT_POSSIBLE);
    }
}
