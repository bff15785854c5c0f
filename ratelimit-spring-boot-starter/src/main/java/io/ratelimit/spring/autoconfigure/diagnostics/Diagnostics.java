package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.internal.Warning;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Logs all findings once, when all beans exist. A diagnosis that fails does not stop the start. */
final class Diagnostics implements SmartInitializingSingleton {

    private static final Logger LOG = LoggerFactory.getLogger(Diagnostics.class);

    private final Iterable<Diagnosis> diagnoses;

    Diagnostics(Iterable<Diagnosis> diagnoses) {
        this.diagnoses = diagnoses;
    }

    @Override
    public void afterSingletonsInstantiated() {
        diagnoses.forEach(Diagnostics::log);
    }

    private static void log(Diagnosis diagnosis) {
        try {
            Warning warning = new Warning(diagnosis.code());
            diagnosis.findings().forEach(finding -> warning.log("{}", finding));
        } catch (RuntimeException | LinkageError failed) {
            LOG.debug("{} found out nothing", diagnosis.getClass().getSimpleName(), failed);
        }
    }
}
