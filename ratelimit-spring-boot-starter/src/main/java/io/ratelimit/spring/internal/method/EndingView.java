package io.ratelimit.spring.internal.method;

import io.ratelimit.spring.RequestView;

/** A request that may be over, so that nothing can be asked of it any more. Equal to all views of the same request. */
public interface EndingView extends RequestView {

    boolean isOver();
}
