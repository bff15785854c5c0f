package io.ratelimit.spring.autoconfigure.diagnostics;

import io.ratelimit.spring.Limits;
import io.ratelimit.spring.MessageCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.StandardEnvironment;

/** Environment variables that do not set the limit they seem to name, because they cannot hold the dashes of names. */
final class MisnamedVariables implements Diagnosis {

    private final ConfigurableEnvironment environment;
    private final Limits limits;

    MisnamedVariables(ConfigurableEnvironment environment, Limits limits) {
        this.environment = environment;
        this.limits = limits;
    }

    @Override
    public MessageCode code() {
        return MessageCode.VARIABLE_MISNAMED;
    }

    @Override
    public List<String> findings() {
        List<String> findings = new ArrayList<>();
        if (environment.getPropertySources().get(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)
                instanceof EnumerablePropertySource<?> variables) {
            for (String name : variables.getPropertyNames()) {
                if (name.startsWith("RATE_LIMITER_")) {
                    findings.add("the environment variable %s is not read: write RATELIMITER_%s"
                            .formatted(name, name.substring("RATE_LIMITER_".length())));
                }
            }
        }
        Map<String, String> byLetters = new HashMap<>();
        for (String name : limits.names()) {
            String other = byLetters.put(name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT), name);
            if (other != null) {
                findings.add(("the limits '%s' and '%s' differ only by dashes or case: an environment variable such as"
                                + " RATELIMITER_LIMITS_%s_MAXREQUESTS sets the one without. Rename one of them")
                        .formatted(other, name, name.replaceAll("[-_]", "").toUpperCase(Locale.ROOT)));
            }
        }
        return findings;
    }
}
