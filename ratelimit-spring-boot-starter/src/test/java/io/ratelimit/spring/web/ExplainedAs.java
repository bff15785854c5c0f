package io.ratelimit.spring.web;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.ratelimit.testing.Http.Answer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;

/** What a request was explained to be answered. */
record ExplainedAs(JsonNode explained) {

    static ExplainedAs of(JsonNode explained) {
        return new ExplainedAs(explained);
    }

    /** Whether that is the answer. What a note says is not known may be anything. */
    boolean fits(Answer sent) {
        if (explained.toString().contains("not known: ")) {
            return true;
        }
        if (explained.at("/status").isNull()) {
            return !isRefusal(sent);
        }
        return explained.at("/status").asInt() == sent.status()
                && isRefusal(sent)
                && !explained.at("/allowed").asBoolean()
                && (sent.status() != 429 || (fitsNames(sent) && fitsWait(sent)));
    }

    /** There are none in the answer to HEAD. */
    private boolean fitsNames(Answer sent) {
        return sent.body().isEmpty() || names(explained.at("/refusedBy")).equals(violated(sent));
    }

    private boolean fitsWait(Answer sent) {
        if (explained.at("/retryAfter").isNull()) {
            return true;
        }
        Duration wait = Duration.parse(explained.at("/retryAfter").asText());
        long seconds = wait.getSeconds() + (wait.getNano() > 0 ? 1 : 0);
        return String.valueOf(Math.max(1, seconds)).equals(sent.header("Retry-After"));
    }

    private static boolean isRefusal(Answer sent) {
        return "application/problem+json".equals(sent.header("Content-Type"));
    }

    private static Set<String> violated(Answer sent) {
        try {
            return names(new ObjectMapper().readTree(sent.body()).at("/violated-policies"));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Clients see limits that annotations define without their package. */
    private static Set<String> names(JsonNode limits) {
        Set<String> names = new TreeSet<>();
        limits.forEach(limit -> names.add(limit.asText().replaceFirst("^io\\.ratelimit\\..*\\.(?=[A-Z])", "")));
        return names;
    }
}
