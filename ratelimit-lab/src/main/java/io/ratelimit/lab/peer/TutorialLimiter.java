package io.ratelimit.lab.peer;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.ratelimit.benchmarks.Resources;
import io.ratelimit.lab.Answer;
import io.ratelimit.lab.Limiter;
import io.ratelimit.lab.Rate;
import io.ratelimit.lab.Setup;
import java.util.UUID;

/** A log in a sorted set as tutorials write it: by the application's clock, and refused calls are counted. */
public final class TutorialLimiter implements Limiter {

    private final StatefulRedisConnection<String, String> connection;
    private final String script = Resources.text("/io/ratelimit/lab/tutorial.lua");
    private final Rate rate;

    public TutorialLimiter(Setup setup) {
        connection = setup.redis().connect();
        rate = setup.rate();
    }

    @Override
    public Answer tryAcquire(String subject, long cost) {
        long now = System.currentTimeMillis();
        Long count = connection
                .sync()
                .eval(
                        script,
                        ScriptOutputType.INTEGER,
                        new String[] {"tutorial:" + subject},
                        Long.toString(now),
                        Long.toString(rate.windowMicros() / 1_000),
                        UUID.randomUUID().toString());
        return Answer.of(count <= rate.limit());
    }

    @Override
    public void close() {
        connection.close();
    }
}
