package io.ratelimit.stack;

import io.ratelimit.Decision;
import io.ratelimit.internal.call.Call;
import io.ratelimit.internal.call.Decide;
import io.ratelimit.internal.call.Layer;

/** Admits everything and counts nothing. Thread-safe. */
final class AdmittingStore extends Layer {

    @Override
    public void call(Call call) {
        if (call instanceof Decide decide) {
            answer(call, Decision.unanswered(decide.acquisition().times()));
        } else {
            done(call);
        }
    }
}
