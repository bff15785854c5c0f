package io.ratelimit.spring.trip;

import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;

import io.ratelimit.spring.testing.TestApp;
import io.ratelimit.testing.JavaProcess;
import io.ratelimit.testing.RedisProcess;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.asm.Advice;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * A process that prints the classes of this library whose code runs while one request is refused: a route limits {@code
 * POST /login} to 5 in 15 minutes by address, counts are in one Redis, and the sixth request arrives. What happens at the first
 * refusal of a process only has happened.
 */
public final class Trip {

    /** What reads overrides once a second, which may be while the request is under way. */
    private static final Pattern BESIDE =
            Pattern.compile("io\\.ratelimit\\.spring\\.internal\\.(redis\\.RedisOverrides|live\\.OverrideStore)\\b.*");

    private static final Set<String> VISITED = Collections.synchronizedSet(new LinkedHashSet<>());
    private static volatile boolean recording;

    private Trip() {}

    /** Runs at the beginning of each method of this library. */
    public static final class Visit {

        private Visit() {}

        @Advice.OnMethodEnter
        static void enter(@Advice.Origin("#t") String type) {
            visited(type);
        }
    }

    @RestController
    static class Login {
        @PostMapping({"/login", "/before"})
        String login() {
            return "welcome";
        }
    }

    /** Used by the code that {@link Visit} inserts. */
    public static void visited(String type) {
        boolean isBeside = Thread.currentThread().getName().equals("ratelimit-overrides")
                || BESIDE.matcher(type).matches();
        if (recording && !isBeside) {
            VISITED.add(type);
        }
    }

    /** Starts the process and returns what it printed. */
    static String output() {
        String agent = ByteBuddyAgent.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        return JavaProcess.start(List.of("-javaagent:" + agent), Trip.class).output();
    }

    public static void main(String[] args) {
        instrument();
        try (RedisProcess redis = RedisProcess.start();
                TestApp app = TestApp.start(
                                List.of(Login.class),
                                "spring.data.redis.url=" + redis.uri(),
                                "rate-limiter.routes.login.paths=/login",
                                "rate-limiter.routes.login.methods=POST",
                                "rate-limiter.routes.login.use-algo=sliding-window-log",
                                "rate-limiter.routes.login.max-requests=5",
                                "rate-limiter.routes.login.window-size=15m",
                                "rate-limiter.routes.login.key=ip",
                                "rate-limiter.routes.before.paths=/before",
                                "rate-limiter.routes.before.max-requests=1")
                        .onRedis()) {
            answered(app, "/before", 200);
            answered(app, "/before", 429);
            for (int i = 0; i < 5; i++) {
                answered(app, "/login", 200);
            }
            recording = true;
            answered(app, "/login", 429);
            recording = false;
        }
        VISITED.forEach(type -> System.out.println("visited " + type));
    }

    private static void answered(TestApp app, String path, int status) {
        int answered = app.send("POST", path).status();
        if (answered != status) {
            throw new IllegalStateException("answered '%d' instead of '%d'".formatted(answered, status));
        }
    }

    private static void instrument() {
        new AgentBuilder.Default()
                .ignore(nameStartsWith("net.bytebuddy.")
                        .or(nameStartsWith("io.ratelimit.testing."))
                        .or(nameStartsWith("io.ratelimit.spring.testing."))
                        .or(nameStartsWith("io.ratelimit.spring.trip.")))
                .type(nameStartsWith("io.ratelimit."))
                .transform((builder, type, loader, module, domain) ->
                        builder.visit(Advice.to(Visit.class).on(isMethod().or(isConstructor()))))
                .installOn(ByteBuddyAgent.getInstrumentation());
    }
}
