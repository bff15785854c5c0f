package io.ratelimit.benchmarks;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A limiter of an endpoint that does nothing, by users named in a header.
 *
 * @param path of the endpoint
 */
record HttpContender(String text, String path, List<String> properties) {

    static final HttpContender NOBODY =
            new HttpContender("no limits", TrivialApplication.PLAIN, List.of("rate-limiter.enabled=false"));
    static final HttpContender ROUTE =
            new HttpContender("this library, a route", TrivialApplication.PLAIN, route("redis"));
    static final HttpContender ANNOTATION = new HttpContender(
            "this library, an annotation", TrivialApplication.ANNOTATED, List.of("rate-limiter.store=redis"));
    static final HttpContender IN_MEMORY =
            new HttpContender("a route in memory", TrivialApplication.PLAIN, route("in-memory"));
    static final HttpContender HEADERS = new HttpContender(
            "the same headers, by a filter that decides nothing",
            TrivialApplication.PLAIN,
            List.of("rate-limiter.enabled=false", HeadersFilter.PROPERTY + "=true"));
    static final HttpContender SCRIPT = peer("a script in an interceptor", PeerInterceptor.SCRIPT);
    static final HttpContender BUCKET4J = peer(Bucket4jRedis.BATCHING, PeerInterceptor.BUCKET4J);
    static final HttpContender REDISSON = peer(RedissonLimiter.NAME, PeerInterceptor.REDISSON);

    static final List<HttpContender> ALL = List.of(NOBODY, ROUTE, ANNOTATION, SCRIPT, BUCKET4J, REDISSON);

    /** The one limit, which both endpoints may use; no decision is to be lost to a busy machine. */
    private static final List<String> LIMIT = List.of(
            "rate-limiter.timeout=5s",
            "rate-limiter.limits.ample.use-algo=token-bucket",
            "rate-limiter.limits.ample.max-requests=" + Limits.PER_SECOND,
            "rate-limiter.limits.ample.window-size=1s",
            "rate-limiter.limits.ample.burst=" + Limits.BURST);

    private static List<String> route(String store) {
        return List.of(
                "rate-limiter.store=" + store,
                "rate-limiter.routes.ping.paths=" + TrivialApplication.PLAIN,
                "rate-limiter.routes.ping.limits=ample",
                "rate-limiter.routes.ping.key=header:" + TrivialApplication.USER);
    }

    private static HttpContender peer(String text, String peer) {
        return new HttpContender(
                text,
                TrivialApplication.PLAIN,
                List.of("rate-limiter.enabled=false", "%s=%s".formatted(PeerInterceptor.PROPERTY, peer)));
    }

    /** Returns what was read of it, among readings by text. */
    Reading in(Map<String, Reading> readings) {
        return Objects.requireNonNull(readings.get(text));
    }

    /** Starts an application of its own, which is limited so. */
    HttpApplication start(RedisSite redis, HttpThreads threads) {
        return new HttpApplication(
                path,
                ApplicationProcess.of(
                        TrivialApplication.class,
                        redis,
                        Stream.of(LIMIT, properties, List.of(threads.property()))
                                .flatMap(List::stream)
                                .toArray(String[]::new)));
    }
}
