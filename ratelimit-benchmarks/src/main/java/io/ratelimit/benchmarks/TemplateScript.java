package io.ratelimit.benchmarks;

import java.util.List;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/** Spring Cloud Gateway's script, run as Spring Data's reference shows: by {@code StringRedisTemplate}. */
record TemplateScript(StringRedisTemplate template) implements Contender {

    @SuppressWarnings("rawtypes") // a script's result is given by its class
    private static final RedisScript<List> SCRIPT = RedisScript.of(Resources.text(GatewayScript.FILE), List.class);

    @Override
    public String name() {
        return GatewayScript.NAME;
    }

    @Override
    public boolean tryAcquire(String subject) {
        List<?> reply = template.execute(
                SCRIPT,
                GatewayScript.keys(subject),
                Long.toString(Limits.PER_SECOND),
                Long.toString(Limits.BURST),
                "",
                "1");
        return reply.get(0).equals(1L);
    }
}
