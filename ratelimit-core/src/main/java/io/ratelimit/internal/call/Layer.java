package io.ratelimit.internal.call;

import io.ratelimit.Decision;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A step between a limiter and its store, which is the last layer. Each call passes down layer by layer until one answers it,
 * and its answer passes back up through the same layers. So each answers every call once that it was given, or passes it
 * on. Thread-safe.
 *
 * <p>A layer may keep a call and go on with it later, but only on the call's own threads, see {@link Call#goOn}. For what it
 * needs to know itself it makes calls of its own.
 */
public abstract class Layer {

    private final @Nullable Layer next;

    @Nullable
    Layer above;

    /** Creates a store: the last layer. */
    protected Layer() {
        this.next = null;
    }

    /** Creates a layer in front of another one, which is in no other stack. */
    protected Layer(Layer next) {
        this.next = next;
        next.above = this;
    }

    /** Passes a call on, answers it or keeps it. */
    public abstract void call(Call call);

    /** Passes an answer on, which is in the call, or another one in its place. */
    protected void answered(Call call) {
        back(call);
    }

    /** Passes the call, or one that this layer has made, to the layer below. */
    protected final void passOn(Call call) {
        Objects.requireNonNull(next).call(call);
    }

    /** Passes the answer in the call to the layer above. */
    protected final void back(Call call) {
        if (above == null) {
            call.end();
        } else {
            above.receive(call);
        }
    }

    /** Answers the call on a thread of its own. */
    protected final void answer(Call call, Decision decision) {
        call.decided(decision);
        back(call);
    }

    /** Answers an operation that has no result, on a thread of the call. */
    protected final void done(Call call) {
        call.succeeded();
        back(call);
    }

    /** Answers the call by a failure on a thread of its own. */
    protected final void fail(Call call, Throwable failure) {
        call.failed(failure);
        back(call);
    }

    /** Answers an operation that has no result: by the failure, or that it is done. */
    protected final void end(Call call, @Nullable Throwable failure) {
        if (failure == null) {
            done(call);
        } else {
            fail(call, failure);
        }
    }

    /** Answers the call as another one was answered that this layer made for it. */
    protected final void answerAs(Call call, Call other) {
        call.answeredAs(other);
        back(call);
    }

    final void receive(Call call) {
        if (call.isMadeBy(this)) {
            call.end();
        } else {
            answered(call);
        }
    }
}
