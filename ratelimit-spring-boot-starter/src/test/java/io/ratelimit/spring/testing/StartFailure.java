package io.ratelimit.spring.testing;

import java.util.Objects;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.ArgumentResolver;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** What Spring Boot prints instead of a stack trace. */
public final class StartFailure {

    private StartFailure() {}

    /** Description and action of the first registered analyzer that explains the failure. */
    public static String text(Throwable failure) {
        ArgumentResolver arguments = ArgumentResolver.of(BeanFactory.class, new DefaultListableBeanFactory())
                .and(Environment.class, new StandardEnvironment());
        return SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, arguments, FailureHandler.handleMessage((message, cause) -> {}))
                .stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .map(analysis -> analysis.getDescription() + "\n" + analysis.getAction())
                .orElseThrow(() -> new AssertionError("nothing explains this failure", failure));
    }
}
