package io.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/**
 * This library and its peers on one Redis, taking turns at the same work; one row for each peer.
 *
 * @param <C> what the work needs of a contender
 */
final class ContestSection<C extends Contender> implements Section {

    private final String id;
    private final String title;
    private final String how;
    private final Unit unit;
    private final int subjects;
    private final Load<? super C> load;
    private final ToDoubleFunction<Sample> number;
    private final List<Against<C>> contenders = new ArrayList<>();

    ContestSection(
            String id,
            String title,
            String how,
            Unit unit,
            int subjects,
            Load<? super C> load,
            ToDoubleFunction<Sample> number,
            Function<RedisSite, ? extends C> own) {
        this.id = id;
        this.title = title;
        this.how = how;
        this.unit = unit;
        this.subjects = subjects;
        this.load = load;
        this.number = number;
        this.contenders.add(new Against<>(own, Target.none()));
    }

    ContestSection<C> against(Function<RedisSite, ? extends C> open, Target target) {
        contenders.add(new Against<>(open, target));
        return this;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Findings run(Site site) {
        site.redis().commands().flushall();
        Subjects names = new Subjects(subjects);
        List<C> open = new ArrayList<>();
        try {
            Contest<Sample> contest = new Contest<>();
            for (Against<C> each : contenders) {
                C contender = each.open().apply(site.redis());
                open.add(contender);
                names.all().forEach(contender::tryAcquire);
                contest.add(contender.name(), () -> load.run(contender, names, site.pace()));
            }
            return findings(open, Reading.each(unit, contest.run(site.pace().rounds()), number));
        } finally {
            open.forEach(Contender::close);
        }
    }

    private Findings findings(List<C> open, Map<String, Reading> readings) {
        Reading own = Objects.requireNonNull(readings.get(open.get(0).name()));
        List<Row> rows = new ArrayList<>();
        for (int i = 1; i < open.size(); i++) {
            Reading peer = Objects.requireNonNull(readings.get(open.get(i).name()));
            rows.add(new Row(own.name(), own, peer, contenders.get(i).target()));
        }
        return new Findings(id, title, how, rows, List.of(new BarChart(title, List.copyOf(readings.values()))));
    }
}
