package io.ratelimit.benchmarks;

/** A way to ask a contender for as many decisions as it can give. */
@FunctionalInterface
interface Load<C extends Contender> {

    Sample run(C contender, Subjects subjects, Pace pace);
}
