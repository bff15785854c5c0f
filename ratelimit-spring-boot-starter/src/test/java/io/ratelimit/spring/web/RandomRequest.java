package io.ratelimit.spring.web;

import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.spring.testing.LimitsEndpoint;
import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.Http.Answer;
import io.ratelimit.testing.SeededRandom;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A request that is explained and sent.
 *
 * @param headers name, value, name, value
 * @param user who is authenticated; empty for nobody
 */
record RandomRequest(String method, String target, List<String> headers, String user) {

    /** @param secured whether users can be authenticated, and forms are protected from other origins */
    static RandomRequest of(SeededRandom random, boolean secured) {
        String path = random.oneOf(
                "/two/a",
                "/two/a",
                "/two/b",
                "/two/b",
                "/two/c",
                "/two/d/1",
                "/two/nothing",
                secured ? "/two/a/" : "/two/a;v=1", // Spring Security rejects it, as an attack
                "/two/%61");
        String query = random.oneOf("", "?u=al", "?u=AL&n=2", "?n=9", "?u=x&n=1", "?ends=401", "?ends=500&u=x", "?n=x");
        List<String> headers = new ArrayList<>();
        add(headers, random, 2, "X-User", "ann", "ben");
        add(headers, random, 4, "X-Skip", "yes");
        add(headers, random, 2, "X-Device", "phone", "tv", "watch");
        add(headers, random, 3, "Cookie", "sid=one", "sid=two");
        add(headers, random, 6, "Origin", "https://a.example");
        add(headers, random, 4, "X-Forwarded-For", "203.0.113.7", "nobody, 203.0.113.8", "2001:db8::1", "nobody");
        return new RandomRequest(
                secured
                        ? random.oneOf("GET", "GET", "HEAD", "OPTIONS")
                        : random.oneOf("GET", "GET", "GET", "POST", "HEAD", "OPTIONS"),
                path + query,
                headers,
                secured ? random.oneOf("alice", "bob", "") : "");
    }

    private static void add(List<String> headers, SeededRandom random, int oneIn, String name, String... values) {
        if (random.oneIn(oneIn)) {
            headers.add(name);
            headers.add(random.oneOf(values));
        }
    }

    JsonNode explain(TestApp app) throws IOException {
        List<String> parameters = new ArrayList<>(List.of("path=" + target, "method=" + method, "address=127.0.0.1"));
        for (int i = 0; i < headers.size(); i += 2) {
            parameters.add("header=" + headers.get(i) + ":" + headers.get(i + 1));
        }
        if (!user.isEmpty()) {
            parameters.add("principal=" + user);
        }
        return LimitsEndpoint.json(app.get(
                LimitsEndpoint.path(parameters.toArray(String[]::new)), "Authorization", Secured.basic("alice", "pw")));
    }

    Answer send(TestApp app) {
        List<String> all = new ArrayList<>(headers);
        if (!user.isEmpty()) {
            all.addAll(List.of("Authorization", Secured.basic(user, "pw")));
        }
        return app.send(method, target, all.toArray(String[]::new));
    }
}
