package io.ratelimit.spring.testing;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;

/** Tests that share one running application. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class AppTest {

    private final Stack stack;
    private final List<Class<?>> configurations;
    private final String[] properties;
    private TestApp app;

    protected AppTest(Stack stack, List<Class<?>> configurations, String... properties) {
        this.stack = stack;
        this.configurations = configurations;
        this.properties = properties;
    }

    @BeforeAll
    void startApp() {
        app = start(properties);
    }

    @AfterAll
    void closeApp() {
        app.close();
    }

    protected TestApp app() {
        return app;
    }

    protected Stack stack() {
        return stack;
    }

    /** Starts another application of the same kind, with other properties. */
    protected TestApp start(String... others) {
        return TestApp.start(stack, configurations, others);
    }
}
