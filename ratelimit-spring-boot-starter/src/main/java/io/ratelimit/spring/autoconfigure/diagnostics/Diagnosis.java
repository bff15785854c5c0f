package io.ratelimit.spring.autoconfigure.diagnostics;

import java.util.List;

/** Looks at the configuration for one kind of mistake. */
interface Diagnosis {

    /** What is wrong: each names the property, says why, and what to do. Empty where nothing is. */
    List<String> findings();
}
