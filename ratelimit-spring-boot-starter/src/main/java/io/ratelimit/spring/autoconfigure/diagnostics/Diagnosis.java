package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.MessageCode;
import java.util.List;

/** Looks at the configuration for one kind of mistake. A mistake whose code is an error stops the start. */
interface Diagnosis {

    /** Returns the code of all findings. */
    MessageCode code();

    /** Returns what is wrong: each finding names the property, the reason and what to do. Empty if nothing is wrong. */
    List<String> findings();
}
