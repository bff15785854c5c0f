package io.ratelimit.spring.web;

import com.fasterxml.jackson.databind.JsonNode;
import io.ratelimit.testing.Http.Answer;
import java.util.List;

/** What a request was explained to be answered. */
record ExplainedAs(JsonNode explained) {

    static ExplainedAs of(JsonNode explained) {
        return new ExplainedAs(explained);
    }

    /**
     * True if the answer fits: a limit that refuses by itself refuses the request, and a request of one rule is refused
     * by no other. Anything may follow where a note says that something is not known, or where a method has a fallback.
     *
     * @param app the application's properties
     */
    boolean fits(Answer sent, List<String> app) {
        if (explained.toString().contains("not known: ")) {
            return true;
        }
        if (app.contains("rate-limiter.report-only=true")) {
            return sent.status() != 429;
        }
        JsonNode refusedBy = explained.at("/refusedBy");
        boolean fallsBack =
                !explained.at("/methods").isEmpty() && app.stream().anyMatch(one -> one.endsWith("=instead"));
        if (isRuledByOne()) {
            return isRefusal(sent) ? fitsNames(refusedBy, sent) : refusedBy.isEmpty() || fallsBack;
        }
        return refusedBy.isEmpty() || isRefusal(sent) || fallsBack;
    }

    private boolean isRuledByOne() {
        return explained.at("/routes").size() + explained.at("/methods").size() <= 1;
    }

    /** There are none in the answer to HEAD. Clients see limits that annotations define without their package. */
    private static boolean fitsNames(JsonNode refusedBy, Answer sent) {
        boolean fits = !refusedBy.isEmpty();
        for (JsonNode limit : refusedBy) {
            String name = limit.asText().replaceFirst("^io\\.ratelimit\\..*\\.(?=[A-Z])", "");
            fits &= sent.body().isEmpty() || sent.body().contains("\"" + name + "\"");
        }
        return fits;
    }

    private static boolean isRefusal(Answer sent) {
        return "application/problem+json".equals(sent.header("Content-Type"));
    }
}
