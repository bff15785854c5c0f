package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.internal.Warning;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Logs all findings once, when all beans exist, and stops the start at the first one that is an error. A diagnosis that fails
 * does not stop the start.
 */
final class Diagnostics implements SmartInitializingSingleton {

    private static final Logger LOG = LoggerFactory.getLogger(Diagnostics.class);

    private final BooleanSupplier apply;
    private final Supplier<List<Diagnosis>> diagnoses;

    /** @param apply false if there is nothing to look at; asked once */
    Diagnostics(BooleanSupplier apply, Supplier<List<Diagnosis>> diagnoses) {
        this.apply = apply;
        this.diagnoses = diagnoses;
    }

    @Override
    public void afterSingletonsInstantiated() {
        if (apply.getAsBoolean()) {
            diagnoses.get().forEach(Diagnostics::log);
        }
    }

    private static void log(Diagnosis diagnosis) {
        List<String> findings = findings(diagnosis);
        if (diagnosis.code().isWarning()) {
            Warning warning = new Warning(diagnosis.code());
            findings.forEach(finding -> warning.log("{}", finding));
        } else if (!findings.isEmpty()) {
            throw new InvalidRateLimitException(diagnosis.code(), "rate-limiter.routes", findings.get(0));
        }
    }

    private static List<String> findings(Diagnosis diagnosis) {
        try {
            return diagnosis.findings().get();
        } catch (RuntimeException | LinkageError failed) {
            LOG.debug("The diagnosis of {} failed", diagnosis.code(), failed);
            return List.of();
        }
    }

    /**
     * Looks at the configuration for one kind of mistake. A mistake whose code is an error stops the start.
     *
     * @param findings returns what is wrong: each names the property, the reason and what to do; empty if nothing is
     */
    record Diagnosis(MessageCode code, Supplier<List<String>> findings) {}
}
