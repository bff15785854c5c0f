package io.ratelimit.spring.internal.servlet;

import io.ratelimit.spring.internal.web.RefusalShape;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An answer that a handler had begun when it was refused. */
final class AbandonedAnswer {

    private AbandonedAnswer() {}

    /** Forgets status, body, an open writer, and the headers that describe the answer. */
    static void reset(HttpServletResponse response) {
        Map<String, List<String>> kept = new LinkedHashMap<>();
        for (String name : response.getHeaderNames()) {
            if (!RefusalShape.replaces(name)) {
                kept.putIfAbsent(name, new ArrayList<>(response.getHeaders(name)));
            }
        }
        response.reset();
        kept.forEach((name, values) -> {
            response.setHeader(name, values.get(0));
            values.subList(1, values.size()).forEach(value -> response.addHeader(name, value));
        });
    }
}
