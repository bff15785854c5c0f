package io.ratelimit.internal.redis;

import io.ratelimit.Ban;
import java.util.ArrayList;
import java.util.List;

/** What bans of one subject must answer, by its whole history since the subject was forgotten or banned last. */
final class BanOracle {

    /** A refusal or failure that counted, and how many of those before it were still remembered with it. */
    private record Counted(long atMicros, int remembered) {}

    private final List<Counted> history = new ArrayList<>();
    private int mostAskedFor;
    private long beganMicros;
    private long rememberedUntilMicros;
    private int bans;

    /** What is later than now counts as now, and is remembered for as long as it was. */
    void now(long nowMicros) {
        long oldest = bans > 0
                ? beganMicros
                : history.isEmpty() ? nowMicros : lastOnes().get(0).atMicros();
        rememberedUntilMicros -= Math.max(0, oldest - nowMicros);
        history.replaceAll(counted -> new Counted(Math.min(counted.atMicros(), nowMicros), counted.remembered()));
        beganMicros = Math.min(beganMicros, nowMicros);
    }

    long leftMicros(Ban ban, long nowMicros) {
        long endMicros = bans == 0 ? 0 : Math.min(beganMicros + lengthMicros(ban), rememberedUntilMicros);
        return Math.max(0, endMicros - nowMicros);
    }

    /** Counts one refusal or failure of a call for all those bans of which none holds. */
    void count(List<Ban> counting, long nowMicros) {
        List<Ban> free =
                counting.stream().filter(ban -> leftMicros(ban, nowMicros) == 0).toList();
        if (free.isEmpty()) {
            return;
        }
        forgetWhatNothingAsksFor(nowMicros);
        int before = history.isEmpty() ? 0 : history.get(history.size() - 1).remembered();
        // beside this one, only as many as some ban asked for until then
        mostAskedFor = Math.max(mostAskedFor, free.get(0).after());
        history.add(new Counted(nowMicros, Math.min(before + 1, mostAskedFor)));
        for (Ban ban : free) {
            if (leftMicros(ban, nowMicros) > 0) {
                break; // the ban of another has begun
            }
            mostAskedFor = Math.max(mostAskedFor, ban.after());
            remember(nowMicros + ban.withinMicros());
            if (bans > 0) {
                remember(quietMicros(ban));
            }
            long within = lastOnes().stream()
                    .filter(counted -> counted.atMicros() > nowMicros - ban.withinMicros())
                    .count();
            if (within >= ban.after()) {
                begin(ban, nowMicros);
            }
        }
    }

    void begin(Ban ban, long nowMicros) {
        forgetWhatNothingAsksFor(nowMicros);
        if (bans > 0 && nowMicros >= quietMicros(ban)) {
            bans = 0;
        }
        bans++;
        beganMicros = nowMicros;
        history.clear();
        remember(quietMicros(ban));
    }

    private void forgetWhatNothingAsksFor(long nowMicros) {
        if (rememberedUntilMicros <= nowMicros) {
            history.clear();
            mostAskedFor = 0;
            bans = 0;
        }
    }

    /** The refusals that are remembered with the last one. */
    private List<Counted> lastOnes() {
        int size = history.size();
        return size == 0
                ? List.of()
                : history.subList(size - history.get(size - 1).remembered(), size);
    }

    private void remember(long micros) {
        rememberedUntilMicros = Math.max(rememberedUntilMicros, micros);
    }

    private long quietMicros(Ban ban) {
        return beganMicros + lengthMicros(ban) + Math.max(lengthMicros(ban), ban.withinMicros());
    }

    private long lengthMicros(Ban ban) {
        List<Long> lengths = ban.lengthsMicros();
        return lengths.get(Math.min(bans, lengths.size()) - 1);
    }
}
