package io.ratelimit.spring.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ratelimit.testing.Http;
import io.ratelimit.testing.Http.Answer;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Calls the endpoint {@code ratelimits} of an application. */
public final class LimitsEndpoint {

    public static final String EXPOSED = "management.endpoints.web.exposure.include=ratelimits";

    private LimitsEndpoint() {}

    /** Answers to parameters such as {@code path=/a?b}, which are sent encoded. */
    public static JsonNode json(TestApp app, String... parameters) throws IOException {
        return json(send("GET", app, parameters));
    }

    public static Answer send(String method, TestApp app, String... parameters) {
        return app.send(method, path(parameters));
    }

    /** Gives a limit the numbers of the body for a while. */
    public static Answer override(TestApp app, String limit, String body) {
        return Http.post(
                "http://localhost:" + app.port() + "/actuator/ratelimits/limits/" + limit,
                body,
                "Content-Type",
                "application/json");
    }

    /** Where it answers to these parameters. */
    public static String path(String... parameters) {
        return Arrays.stream(parameters)
                .map(LimitsEndpoint::encoded)
                .collect(Collectors.joining("&", "/actuator/ratelimits?", ""));
    }

    public static JsonNode json(Answer answer) throws IOException {
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return new ObjectMapper().readTree(answer.body());
    }

    private static String encoded(String parameter) {
        int equals = parameter.indexOf('=');
        return parameter.substring(0, equals + 1)
                + URLEncoder.encode(parameter.substring(equals + 1), StandardCharsets.UTF_8);
    }
}
