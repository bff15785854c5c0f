package io.ratelimit.sample.playground;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What each algorithm must decide, written from its definition: slowly, and with nothing of the library. */
final class Arithmetic {

    private Arithmetic() {}

    /** Returns how many of the recorded requests of a lane are to be allowed, at the times of their decisions. */
    static long allowed(JsonNode run, JsonNode lane) {
        long limit = run.at("/settings/maxRequests").asLong();
        long window = run.at("/settings/window").asLong() * 1_000_000;
        Map<Integer, List<Long>> admitted = new HashMap<>();
        long allowed = 0;
        for (JsonNode decision : lane.get("decisions")) {
            long now = run.get("start").asLong() + Math.round(decision.get("t").asDouble() * 1e6);
            List<Long> before = admitted.computeIfAbsent(decision.get("client").asInt(), client -> new ArrayList<>());
            if (admits(lane.get("algorithm").asText(), before, now, limit, window)) {
                before.add(now);
                allowed += decision.get("retry").asBoolean() ? 0 : 1;
            }
        }
        return allowed;
    }

    private static boolean admits(String algorithm, List<Long> admitted, long now, long limit, long window) {
        long start = now / window * window;
        long current = admitted.stream().filter(time -> time >= start).count();
        return switch (algorithm) {
            case "fixed-window" -> current < limit;
            case "sliding-window-log" ->
                admitted.stream().filter(time -> time > now - window).count() < limit;
            case "sliding-window-counter" -> {
                long previous = admitted.stream()
                        .filter(time -> time >= start - window && time < start)
                        .count();
                yield previous * (window - (now - start)) / window + current < limit;
            }
            case "token-bucket" -> tokens(admitted, now, limit, window) >= window;
            default -> throw new IllegalArgumentException(algorithm);
        };
    }

    /** Tokens of a bucket that was full at first, each as {@code window} parts; {@code limit} parts return every µs. */
    private static long tokens(List<Long> admitted, long now, long limit, long window) {
        long full = limit * window;
        long tokens = full;
        long last = now;
        for (long time : admitted) {
            tokens = Math.min(full, tokens + Math.max(0, time - last) * limit) - window;
            last = time;
        }
        return admitted.isEmpty() ? full : Math.min(full, tokens + (now - last) * limit);
    }
}
