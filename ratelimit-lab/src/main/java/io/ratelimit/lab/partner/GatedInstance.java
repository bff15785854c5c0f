package io.ratelimit.lab.partner;

import java.time.Duration;

/** An instance that asks a limiter before each attempt, and does not tell it of answers. */
final class GatedInstance implements Instance {

    /** Waits until a request may be sent, for that long at most; returns whether it may. */
    @FunctionalInterface
    interface Gate {
        boolean passes(Duration patience) throws InterruptedException;
    }

    private final Gate gate;
    private final PartnerHttp http;

    GatedInstance(Gate gate, PartnerHttp http) {
        this.gate = gate;
        this.http = http;
    }

    @Override
    public void warmUp() {
        http.warmUp();
    }

    @Override
    public Attempt send(int number, Duration patience) {
        try {
            return gate.passes(patience) ? http.send(number) : Attempt.NOT_SENT;
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
            return Attempt.NOT_SENT;
        }
    }
}
