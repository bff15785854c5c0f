package io.ratelimit.benchmarks;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.http.HttpStatus;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** An interceptor as applications write it around a limiter: it asks it for the user, and answers 429. */
final class PeerInterceptor implements WebMvcConfigurer, HandlerInterceptor {

    /** The property that names the peer; without it nothing is limited here. */
    static final String PROPERTY = "peer";

    static final String SCRIPT = "script";
    static final String BUCKET4J = "bucket4j";
    static final String REDISSON = "redisson";

    private final @Nullable Contender peer;

    PeerInterceptor(
            @Value("${" + PROPERTY + ":}") String name,
            @Value("${spring.data.redis.port:0}") int port,
            StringRedisTemplate template) {
        peer = switch (name) {
            case SCRIPT -> new TemplateScript(template);
            case BUCKET4J -> Bucket4jRedis.batching(RedisSite.at(port));
            case REDISSON -> RedissonLimiter.open(RedisSite.at(port));
            default -> null;
        };
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        if (peer != null) {
            registry.addInterceptor(this);
        }
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler)
            throws IOException {
        if (Objects.requireNonNull(peer).tryAcquire(request.getHeader(TrivialApplication.USER))) {
            return true;
        }
        response.sendError(HttpStatus.TOO_MANY_REQUESTS.value());
        return false;
    }
}
