package io.ratelimit.spring.internal.operate;

import io.ratelimit.Decision;
import io.ratelimit.LimitStatus;

/** How a decision ended, as meters and observations name it. */
enum DecisionOutcome {
    ALLOWED,
    REFUSED,
    /** Refused by a limit, but let through because of report-only. */
    WOULD_REFUSE,
    /** There is no decision. */
    ERROR;

    static DecisionOutcome of(Decision decision) {
        if (!decision.allowed()) {
            return REFUSED;
        }
        return decision.limits().stream().anyMatch(LimitStatus::refuses) ? WOULD_REFUSE : ALLOWED;
    }
}
