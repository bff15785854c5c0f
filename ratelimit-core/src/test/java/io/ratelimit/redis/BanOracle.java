package io.ratelimit.redis;

import io.ratelimit.algorithm.Ban;
import java.util.ArrayList;
import java.util.List;

/** What bans of one subject must answer, by its whole history since it was banned last. */
final class BanOracle {

    private final List<Long> countedMicros = new ArrayList<>();
    private int mostCounted;
    private long beganMicros;
    private int bans;

    /** What is later than now counts as now. */
    void now(long nowMicros) {
        countedMicros.replaceAll(micros -> Math.min(micros, nowMicros));
        beganMicros = Math.min(beganMicros, nowMicros);
    }

    long leftMicros(Ban ban, long nowMicros) {
        return bans == 0 ? 0 : Math.max(0, beganMicros + lengthMicros(ban) - nowMicros);
    }

    /** Counts one refusal or failure of a call for all those bans of which none holds. */
    void count(List<Ban> counting, long nowMicros) {
        List<Ban> free =
                counting.stream().filter(ban -> leftMicros(ban, nowMicros) == 0).toList();
        if (free.isEmpty()) {
            return;
        }
        countedMicros.add(nowMicros);
        for (Ban ban : free) {
            // a subject has as many refusals as some ban asked for until then
            mostCounted = Math.max(mostCounted, ban.after());
            long within =
                    countedMicros
                            .subList(Math.max(0, countedMicros.size() - mostCounted), countedMicros.size())
                            .stream()
                            .filter(micros -> micros > nowMicros - ban.withinMicros())
                            .count();
            if (leftMicros(ban, nowMicros) == 0 && within >= ban.after()) {
                begin(ban, nowMicros);
            }
        }
    }

    void begin(Ban ban, long nowMicros) {
        if (bans > 0
                && nowMicros >= beganMicros + lengthMicros(ban) + Math.max(lengthMicros(ban), ban.withinMicros())) {
            bans = 0;
        }
        bans++;
        beganMicros = nowMicros;
        countedMicros.clear();
    }

    private long lengthMicros(Ban ban) {
        List<Long> lengths = ban.lengthsMicros();
        return lengths.get(Math.min(bans, lengths.size()) - 1);
    }
}
