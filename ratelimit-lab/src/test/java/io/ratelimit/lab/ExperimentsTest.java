package io.ratelimit.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ExperimentsTest {

    @Test
    void eachHasAnIdOfItsOwnAndCallsInOrder() {
        for (boolean quick : List.of(true, false)) {
            List<Experiment> all = Experiments.all(quick);
            assertThat(all).extracting(Experiment::id).doesNotHaveDuplicates();
            for (Experiment experiment : all) {
                List<Planned> plan = experiment.plan().apply(new Random(1));
                assertThat(plan).as(experiment.id()).isNotEmpty();
                assertThat(plan).extracting(Planned::instance).allMatch(instance -> instance < experiment.instances());
                assertThat(plan).extracting(Planned::atMicros).isSorted();
            }
        }
    }

    @Test
    void theQuickFormLeavesOutFourThatCanBeAskedFor() {
        List<String> leftOut = Experiments.all(true).stream()
                .map(Experiment::id)
                .filter(id -> !Lab.Options.parse("--quick").wants(id))
                .toList();
        assertThat(leftOut).containsExactlyInAnyOrder("ramp", "four", "behind", "network-1ms");
        assertThat(leftOut).allMatch(Lab.Options.parse("--quick", "--only=" + String.join(",", leftOut))::wants);
        assertThat(leftOut).allMatch(Lab.Options.parse()::wants);
    }

    @Test
    void theSameSeedMakesTheSameCalls() {
        for (Experiment experiment : Experiments.all(true)) {
            assertThat(experiment.plan().apply(new Random(7)))
                    .isEqualTo(experiment.plan().apply(new Random(7)));
        }
    }

    /** Five calls at a time are admitted by what they are charged, and may each take twice that. */
    @Test
    void estimatesAreWrongByAFactorOfTwo() {
        Experiment tokens = Experiments.all(true).stream()
                .filter(experiment -> experiment.id().equals("tokens"))
                .findFirst()
                .orElseThrow();
        assertThat(tokens.plan().apply(new Random(1)))
                .allMatch(call -> call.actual() == 2 * call.cost() || call.actual() == call.cost() / 2)
                .anyMatch(call -> call.actual() < call.cost())
                .anyMatch(call -> call.actual() > call.cost());
        assertThat(tokens.isWaitKnown()).isFalse();
        assertThat(Contenders.own().get(1).mostInAnyWindow(tokens)).isEqualTo(200);
    }
}
