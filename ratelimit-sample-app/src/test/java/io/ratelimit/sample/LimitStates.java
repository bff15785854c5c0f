package io.ratelimit.sample;

import io.ratelimit.testing.Http;

/**
 * How the limits of a subject stand at one instance, as its endpoint says.
 *
 * @param base address of the instance
 */
record LimitStates(String base, String subject) {

    long used(String limit) {
        String states =
                Http.send("GET", base + "/actuator/ratelimits/" + subject).body();
        String ofLimit = states.substring(states.indexOf("{\"limit\":\"" + limit + "\""));
        return number(ofLimit, "capacity") - number(ofLimit, "remaining");
    }

    private static long number(String json, String field) {
        String rest = json.substring(json.indexOf("\"" + field + "\":") + field.length() + 3);
        return Long.parseLong(rest.substring(0, rest.indexOf(',')));
    }
}
