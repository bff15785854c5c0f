package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.StartFailure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Whatever is written in configuration and cannot work: the start ends with what, where and what to do. */
class ConfigurationErrorTest {

    @ParameterizedTest
    @MethodSource({"limits", "routes", "general"})
    void endsTheStartWith(List<String> properties, List<String> message) {
        Contexts.web()
                .withPropertyValues(properties.stream()
                        .map(property -> "rate-limiter." + property)
                        .toArray(String[]::new))
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains(message));
    }

    static Stream<Arguments> limits() {
        return Stream.of(
                error("max-requests=0", "rate-limiter", "'default'", "max-requests '0' must be at least 1"),
                error("limits.a.max-requests=-3", "rate-limiter.limits.a", "max-requests '-3' must be at least 1"),
                error("limits.a.use-algo=fixed-window", "rate-limiter.limits.a", "limit 'a' has no max-requests"),
                error(
                        "max-requests=3 limits.default.max-requests=9",
                        "rate-limiter.limits.default",
                        "rate-limiter.max-requests '3' defines already",
                        "leave one of them out"),
                error("max-requests=5 window-size=0", "rate-limiter", "window-size '0s' must be at least 1ms"),
                error(
                        "limits.a.max-requests=5 limits.a.window-size=999us",
                        "rate-limiter.limits.a",
                        "window-size '999us' must be at least 1ms"),
                error(
                        "limits.a.max-requests=5 limits.a.window-size=367d",
                        "rate-limiter.limits.a",
                        "window-size '367d' must be",
                        "at most 366d"),
                error(
                        "limits.a.max-requests=5 limits.a.calendar=month limits.a.window-size=1h",
                        "rate-limiter.limits.a",
                        "has a calendar 'month-1@UTC' and a window-size '1h'",
                        "leave one of them out"),
                error(
                        "limits.a.max-requests=5 limits.a.calendar=month limits.a.use-algo=sliding-window-log",
                        "rate-limiter.limits.a",
                        "a calendar 'month-1@UTC' is not supported by sliding-window-log",
                        "leave use-algo out"),
                error(
                        "limits.a.max-requests=5 limits.a.calendar=month limits.a.zone=Europe/Pari",
                        "rate-limiter.limits.a.zone:",
                        "zone 'Europe/Pari' is not a time zone",
                        "such as Europe/Paris"),
                error(
                        "limits.a.max-requests=5 limits.a.calendar=month limits.a.starts-on=32",
                        "rate-limiter.limits.a.starts-on:",
                        "limit 'a': starts-on '32' of calendar 'month' must be at least 1 and at most 31"),
                error(
                        "limits.a.max-requests=5 limits.a.calendar=day limits.a.starts-on=2",
                        "rate-limiter.limits.a",
                        "starts-on '2' is not supported by calendar 'day'",
                        "leave it out"),
                error(
                        "limits.a.max-requests=5 limits.a.zone=UTC",
                        "rate-limiter.limits.a.zone:",
                        "limit 'a' has zone 'UTC' without a calendar",
                        "leave it out"),
                error(
                        "max-requests=5 burst=9",
                        "rate-limiter",
                        "burst '9' is not supported by sliding-window-log",
                        "leave it out"),
                error(
                        "limits.a.max-requests=5 limits.a.burst=5 limits.a.use-algo=fixed-window",
                        "rate-limiter.limits.a",
                        "burst '5' is not supported by fixed-window",
                        "set use-algo: token-bucket"),
                error(
                        "limits.a.max-requests=5 limits.a.burst=0 limits.a.use-algo=token-bucket",
                        "rate-limiter.limits.a",
                        "burst '0' must be at least 1"),
                error(
                        "limits.a.max-requests=5 limits.a.use-algo=leaky",
                        "rate-limiter.limits.a",
                        "use-algo 'leaky' is not an algorithm",
                        "fixed-window, sliding-window-log, sliding-window-counter, token-bucket"),
                error(
                        "limits.a.max-requests=5 limits.a.lease=6",
                        "rate-limiter.limits.a",
                        "limit 'a': lease '6' must be at least 1 and at most 5"),
                error("max-requests=5 lease=0", "rate-limiter", "limit 'default': lease '0' must be at least 1"),
                error(
                        "limits.a.max-requests=100 limits.a.shards=4 limits.a.lease=30",
                        "rate-limiter.limits.a",
                        "limit 'a': lease '30' must be at least 1 and at most 25"),
                error(
                        "limits.a.max-requests=5 limits.a.shards=6",
                        "rate-limiter.limits.a",
                        "limit 'a': shards '6' must be at most 5",
                        "lower it, or raise the limit"),
                error(
                        "limits.a.max-requests=5 limits.a.plans.gold=",
                        "RL-111",
                        "rate-limiter.limits.a.plans.gold",
                        "'' stands where the properties of a plan belong"),
                error(
                        "limits.a.max-requests=5 limits.a.plans.max-requests=9",
                        "RL-111",
                        "'9' stands where the properties of a plan belong"),
                error("limits.a.max-requests=5 limits.a.plans=gold", "RL-111", "rate-limiter.limits.a.plans"),
                error(
                        "limits.a.max-requests=5 limits.a.plans.none.max-requests=9",
                        "rate-limiter.limits.a.plans.none",
                        "plan 'none' of limit 'a' has a name that meters give to numbers of no plan: choose another"),
                error(
                        "limits.a.max-requests=5 limits.a.plans.provider.unlimited=true",
                        "rate-limiter.limits.a.plans.provider",
                        "plan 'provider' of limit 'a'"),
                error(
                        "limits.a.max-requests=5 limits.a.ban.after=3 limits.a.ban.within=10m",
                        "rate-limiter.limits.a.ban",
                        "limit 'a' has a ban without 'for': write all three"),
                error(
                        "limits.a.max-requests=5 limits.a.ban.after=0 limits.a.ban.within=10m limits.a.ban.for=1m",
                        "rate-limiter.limits.a.ban",
                        "limit 'a': ban after '0' refusals must be at least 1 and at most 100"),
                error(
                        "limits.a.max-requests=5 limits.a.ban.after=3 limits.a.ban.within=10m limits.a.ban.for=1h,1m",
                        "rate-limiter.limits.a.ban",
                        "limit 'a': ban for '1m' must not be shorter than the ban before it, '1h'"),
                error(
                        "ban.after=3 ban.within=10m ban.for=1m",
                        "rate-limiter.ban",
                        "a ban needs a limit: set max-requests beside it"),
                error(
                        "limits.a.max-requests=5 limits.a.lease=2 limits.a.ban.after=3 limits.a.ban.within=10m limits.a.ban.for=1m",
                        "rate-limiter.limits.a.ban",
                        "limit 'a': a ban needs every decision of a subject in one place: leave out lease '2'"),
                error("max-requests=500 shards=65", "rate-limiter", "shards '65' must be at least 1 and at most 64"),
                error("max-requests=5 use-algo=leaky", "rate-limiter", "use-algo 'leaky' is not an algorithm"),
                error("use-algo=leaky", "rate-limiter", "use-algo 'leaky' is not an algorithm"));
    }

    static Stream<Arguments> routes() {
        return Stream.of(
                error(
                        "routes.r.paths=/api limits.a.max-requests=5 limits.b.max-requests=5 routes.r.limits=c",
                        "rate-limiter.routes.r.limits",
                        "limit 'c' is unknown",
                        "define rate-limiter.limits.c",
                        "[a, b]"),
                error(
                        "routes.r.paths=/api routes.r.limits=default",
                        "rate-limiter.routes.r.limits",
                        "limit 'default' is used but not defined: set rate-limiter.max-requests"),
                error("routes.r.paths=/api", "rate-limiter.routes.r", "no limits"),
                error(
                        "limits.a.max-requests=5 routes.r.paths=/api routes.r.limits=a routes.r.ban.after=5",
                        "rate-limiter.routes.r.ban",
                        "a ban needs a limit: set max-requests beside it, or write the ban of a named limit at"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.ban.after=5 routes.r.ban.within=1m",
                        "rate-limiter.routes.r.ban",
                        "limit 'r' has a ban without 'for': write all three"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.use-algo=unique-count",
                        "rate-limiter.routes.r",
                        "limit 'r' counts distinct elements: name what it counts as element"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.cost=header:",
                        "RL-107: rate-limiter.routes.r.cost",
                        "cost 'header:' names a header that no request can have"),
                error(
                        "routes.r.paths=/api/{customer}/** routes.r.max-requests=5 routes.r.key=path:tenant",
                        "RL-401: rate-limiter.routes.r.key",
                        "key 'path:tenant' names a path variable 'tenant', which no path of the route has",
                        "/api/{tenant}/**"),
                error(
                        "key=path:tenant routes.r.paths=/api/** routes.r.max-requests=5",
                        "RL-401: rate-limiter.routes.r",
                        "key 'path:tenant' names a path variable 'tenant', which no path of the route has"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.use-algo=unique-count routes.r.element=path:device",
                        "RL-401: rate-limiter.routes.r.element",
                        "element 'path:device' names a path variable 'device', which no path of the route has"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.element=ip",
                        "rate-limiter.routes.r.element",
                        "element 'ip' is for limits of unique-count, and there are only [r]"),
                error(
                        "limits.a.max-requests=5 routes.r.paths=/api routes.r.key=ip routes.r.levels[0].limits=a routes.r.levels[0].key=ip",
                        "rate-limiter.routes.r",
                        "a route with levels has no limits, key, plan or element of its own, and no numbers"),
                error(
                        "limits.a.max-requests=5 routes.r.paths=/api routes.r.limits=a routes.r.levels[0].limits=a routes.r.levels[0].key=ip",
                        "rate-limiter.routes.r",
                        "a route with levels has no limits, key, plan or element of its own"),
                error(
                        "limits.a.max-requests=5 routes.r.paths=/api routes.r.max-requests=5 routes.r.levels[0].limits=a routes.r.levels[0].key=ip",
                        "rate-limiter.routes.r",
                        "a route with levels has no limits, key, plan or element of its own"),
                error(
                        "limits.a.max-requests=5 routes.r.paths=/api routes.r.levels[0].limits=a",
                        "rate-limiter.routes.r.levels[0]",
                        "no key: name whom the level counts"),
                error(
                        "limits.a.max-requests=5 routes.r.paths=/api routes.r.levels[0].limits=a routes.r.levels[0].key=ip routes.r.levels[1].key=ip",
                        "rate-limiter.routes.r.levels[1]",
                        "no limits: name at least one"),
                error(
                        "limits.a.max-requests=5 routes.r.paths=/api routes.r.levels[0].limits=b routes.r.levels[0].key=ip",
                        "rate-limiter.routes.r.levels[0].limits",
                        "'b'"),
                error(
                        "limits.a.max-requests=5 routes.r.paths=/api routes.r.levels[0].limits=a routes.r.levels[0].key=who",
                        "rate-limiter.routes.r.levels[0].key",
                        "key 'who' is unknown"),
                error(
                        "limits.a.max-requests=5 routes.r.paths=/api routes.r.levels[0].limits=a routes.r.levels[0].key=ip routes.r.cost=9",
                        "rate-limiter.routes.r.cost",
                        "cost '9' can never fit limit 'a'"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.count=sometimes",
                        "rate-limiter.routes.r.count",
                        "count 'sometimes' is unknown: use failures, statuses such as 401"),
                error(
                        "limits.a.max-requests=5 limits.a.use-algo=concurrency limits.a.count=failures routes.r.paths=/api routes.r.limits=a",
                        "rate-limiter.limits.a.count",
                        "none of the limits [a] counts what a call cost"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.use-algo=unique-count routes.r.element=global",
                        "rate-limiter.routes.r.element",
                        "element 'global' is the same for every call, so that no limit ever refuses"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.use-algo=unique-count routes.r.element='x'",
                        "rate-limiter.routes.r.element",
                        "element ''x'' is the same for every call"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.use-algo=unique-count routes.r.key=ip routes.r.element=ip",
                        "rate-limiter.routes.r.element",
                        "element 'ip' is the key, too, so that each subject has one and limit 'r' never refuses"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.use-algo=unique-count routes.r.element=ip routes.r.cost=2",
                        "rate-limiter.routes.r.cost",
                        "cost '2' has no effect, because the limits [r] count distinct elements: leave it out"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.use-algo=unique-count routes.r.element=ip routes.r.lease=2",
                        "rate-limiter.routes.r",
                        "limit 'r': lease '2' is not supported by unique-count: leave it out"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.use-algo=unique-count routes.r.element=ip routes.r.shards=2",
                        "rate-limiter.routes.r",
                        "limit 'r': shards '2' is not supported by unique-count: leave it out"),
                error(
                        "limits.c.use-algo=sliding-window-counter limits.c.max-requests=5 limits.c.window-size=1m limits.c.buckets=7",
                        "rate-limiter.limits.c",
                        "limit 'c': buckets '7' do not divide window-size '1m' into whole µs: use '6'"),
                error(
                        "limits.c.use-algo=sliding-window-counter limits.c.max-requests=5 limits.c.buckets=3601",
                        "rate-limiter.limits.c",
                        "limit 'c': buckets '3601' must be at least 2 and at most 3600"),
                error(
                        "limits.c.use-algo=sliding-window-counter limits.c.max-requests=5 limits.c.buckets=1",
                        "rate-limiter.limits.c.buckets:",
                        "limit 'c': buckets '1' must be at least 2 and at most 3600, or left out"),
                error(
                        "limits.c.use-algo=fixed-window limits.c.max-requests=5 limits.c.buckets=6",
                        "rate-limiter.limits.c",
                        "limit 'c': buckets '6' are not supported by fixed-window",
                        "set use-algo: sliding-window-counter"),
                error(
                        "limits.c.max-requests=5 limits.c.calendar=day limits.c.buckets=7",
                        "rate-limiter.limits.c",
                        "limit 'c': buckets '7' are not supported by fixed-window"),
                error(
                        "routes.r.paths=/api routes.r.use-algo=sliding-window-counter routes.r.max-requests=5 routes.r.buckets=0",
                        "rate-limiter.routes.r",
                        "limit 'r': buckets '0' must be at least 2 and at most 3600"),
                error(
                        "limits.d.use-algo=unique-count limits.d.max-requests=1000000",
                        "rate-limiter.limits.d",
                        "limit 'd': max-requests '1000000' of unique-count must be at most 100000",
                        "set approximate: true"),
                error(
                        "limits.d.max-requests=1000000 limits.d.approximate=true",
                        "rate-limiter.limits.d",
                        "limit 'd': approximate 'true' is not supported by sliding-window-log",
                        "set use-algo: unique-count"),
                error(
                        "routes.r.paths=/api routes.r.approximate=true routes.r.use-algo=token-bucket routes.r.max-requests=5",
                        "rate-limiter.routes.r",
                        "limit 'r': approximate 'true' is not supported by token-bucket"),
                error(
                        "limits.d.max-requests=5 limits.d.use-algo=approximate-unique-count",
                        "rate-limiter.limits.d",
                        "use-algo 'approximate-unique-count' is not an algorithm: use one of fixed-window"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.actual-cost='5'",
                        "rate-limiter.routes.r.actual-cost",
                        "actual cost ''5'' is the same for every call: write what a call used"),
                error(
                        "limits.d.use-algo=unique-count limits.d.max-requests=5 routes.a.paths=/api/** routes.a.limits=d routes.a.element=ip routes.b.paths=/api/search routes.b.limits=d routes.b.element=header:X-Device",
                        "rate-limiter.routes",
                        "a and b count the elements 'ip' and 'header:X-Device' of the key 'caller' in limit 'd'",
                        "write the same element in both, or a limit for each"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.use-algo=unique-count routes.r.element=nobody",
                        "rate-limiter.routes.r.element",
                        "element 'nobody' is unknown"),
                error(
                        "routes.r.paths=/api routes.r.use-algo=concurrency routes.r.max-requests=5 routes.r.count=failures",
                        "rate-limiter.routes.r.count",
                        "none of the limits [r] counts what a call cost"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.actual-cost=X-Tokens",
                        "rate-limiter.routes.r.actual-cost",
                        "'X-Tokens' is unknown: use header:NAME"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.actual-cost=#result",
                        "rate-limiter.routes.r.actual-cost",
                        "'#result' names [result], but there is only"),
                error(
                        "routes.r.paths=/api routes.r.use-algo=concurrency routes.r.max-requests=5 routes.r.actual-cost=header:X-Tokens",
                        "rate-limiter.routes.r.actual-cost",
                        "none of the limits [r] counts what a call cost"),
                error("routes.r.max-requests=5", "rate-limiter.routes.r", "no paths"),
                error("routes.r.paths=/api routes.r.max-requests=0", "rate-limiter.routes.r", "max-requests '0'"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.burst=9",
                        "rate-limiter.routes.r",
                        "burst '9' is not supported"),
                error("routes.r.paths=/api routes.r.window-size=5s", "rate-limiter.routes.r", "has no max-requests"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.cost=6",
                        "rate-limiter.routes.r.cost",
                        "cost '6' can never fit limit 'r', whose capacity is 5"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=100 routes.r.shards=4 routes.r.cost=26",
                        "rate-limiter.routes.r.cost",
                        "cost '26' can never fit limit 'r', whose 4 shards hold 25 each"),
                error("routes.r.paths=/api routes.r.lease=5", "rate-limiter.routes.r", "has no max-requests"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.cost=2.9",
                        "rate-limiter.routes.r.cost",
                        "cost '2.9' is not a whole number: write one, or an expression"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.cost=many",
                        "rate-limiter.routes.r.cost",
                        "'many' names 'many', which RequestView does not have"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.cost=#pages",
                        "rate-limiter.routes.r.cost",
                        "'#pages' names [pages]"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.cost=0",
                        "rate-limiter.routes.r.cost",
                        "cost '0' must be at least 1"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.key=user",
                        "rate-limiter.routes.r.key",
                        "key 'user' is unknown",
                        "header:NAME"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.key=#request.",
                        "rate-limiter.routes.r",
                        "'#request.' is not a valid expression"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.key=#user",
                        "rate-limiter.routes.r",
                        "'#user' names [user]"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 key=user",
                        "rate-limiter.key: key 'user' is unknown"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.methods=GTE",
                        "rate-limiter.routes.r.methods",
                        "'GTE' is not an HTTP method",
                        "GET, HEAD, POST"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 limits.r.max-requests=7",
                        "rate-limiter.routes.r",
                        "a limit 'r' of its own",
                        "rename one of them"),
                error("routes.r.paths[0]= routes.r.max-requests=5", "rate-limiter.routes.r.paths", "'' is not a path"),
                error(
                        "routes.r.paths=/a/**/b routes.r.max-requests=5",
                        "rate-limiter.routes.r.paths",
                        "'/a/**/b' is not a valid path pattern"),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.key=@nobean.x()",
                        "rate-limiter.routes.r.key",
                        "names the bean 'nobean'"),
                error(
                        "routes.r.paths=/api/{ routes.r.max-requests=5",
                        "rate-limiter.routes.r.paths",
                        "'/api/{' is not a valid path pattern"));
    }

    static Stream<Arguments> general() {
        return Stream.of(
                error("max-request=5", "rate-limiter.max-request", "\"5\"", "Did you mean 'max-requests'?"),
                error("limits.a.max-request=5", "rate-limiter.limits.a.max-request", "Did you mean 'max-requests'?"),
                error("routes.a.pahts=/b", "rate-limiter.routes.a.pahts", "Did you mean 'paths'?"),
                error("limit.a.max-requests=5", "rate-limiter.limit.a.max-requests", "Did you mean 'limits'?"),
                error("route.a.paths=/b", "rate-limiter.route.a.paths", "Did you mean 'routes'?"),
                error("window=5", "rate-limiter.window", "Did you mean 'window-size'?"),
                error("limits.a.max=5", "rate-limiter.limits.a.max", "Did you mean 'max-requests'?"),
                error("routes.a.algorithm=x", "rate-limiter.routes.a.algorithm", "Did you mean 'use-algo'?"),
                error("routes.a.algo=x", "rate-limiter.routes.a.algo", "Did you mean 'use-algo'?"),
                error("key=user", "rate-limiter.key: key 'user' is unknown"),
                error("limits.a.max-requests=5 limits.a.window=5", "rate-limiter.limits.a.window"),
                error("limits.a.max-requests=5 limits.a.ttl=5", "rate-limiter.limits.a.ttl", "\"5\""),
                error(
                        "routes.r.paths=/api routes.r.max-requests=5 routes.r.path=/b",
                        "rate-limiter.routes.r.path",
                        "\"/b\""),
                error("store=mongo", "rate-limiter.store: 'mongo' is not valid: use one of [auto, redis, in-memory]"),
                error("on-store-failure=ignore", "rate-limiter.on-store-failure: 'ignore' is not valid", "closed"),
                error("max-requests=0", "RL-101: rate-limiter.max-requests: ", "max-requests '0'"),
                error("limits.a.max-requests=5 limits.a.window-size=0", "RL-101: rate-limiter.limits.a.window-size: "),
                error(
                        "routes.r.paths=/a routes.r.max-requests=5 routes.r.buckets=9999",
                        "rate-limiter.routes.r.buckets: "),
                error(
                        "routes.r.paths=/a routes.r.max-requests=5 routes.r.key=#request?'a':",
                        "RL-402: rate-limiter.routes.r.key: ",
                        "is not a valid expression"),
                error("timeout=never", "rate-limiter.timeout: 'never'", "a number of milliseconds"),
                error("headers=rfc", "rate-limiter.headers: 'rfc' is not valid", "ietf", "x-ratelimit"),
                error("headers=", "rate-limiter.headers: '' names no family: use ietf"),
                error("headers=none,ietf", "rate-limiter.headers", "'none' stands alone"),
                error("window-size=soon", "rate-limiter.window-size: 'soon' is not valid: write a duration such as"),
                error(
                        "max-requests=many",
                        "rate-limiter.max-requests: 'many' is not valid: write a whole number. It stands in"),
                error("order=x", "RL-110: rate-limiter.order: 'x' is not valid: write a whole number. It stands in"),
                error("enabled=off", "RL-110: rate-limiter.enabled: 'off' is not valid: write true or false"),
                error("report-only=no", "RL-110: rate-limiter.report-only: 'no' is not valid: write true or false"),
                error("observations=yes", "RL-110: rate-limiter.observations: 'yes' is not valid: write true or false"),
                error("report-only=perhaps", "rate-limiter.report-only: 'perhaps' is not valid: write true or false"),
                error(
                        "trusted-proxies=10.0.0.0/33",
                        "rate-limiter.trusted-proxies",
                        "'10.0.0.0/33' is not a network",
                        "10.0.0.0/8"),
                error(
                        "client-address-header=CF-Connecting-IP",
                        "rate-limiter.client-address-header: 'CF-Connecting-IP' is believed from nobody",
                        "rate-limiter.trusted-proxies"),
                error(
                        "trusted-proxies=10.0.0.0/8 client-address-header=ip:",
                        "rate-limiter.client-address-header: 'ip:' is not the name of a header"),
                error("timeout=0", "rate-limiter.timeout: '0s' must be at least 1ms"),
                error("timeout=-9223372036854775808s", "rate-limiter.timeout: 'PT-", "must be at least 1ms"),
                error("timeout=9223372036854775807s", "rate-limiter.timeout: 'PT", "and at most a day"),
                error("max-requests=5 window-size=-9223372036854775808s", "rate-limiter", "window-size 'PT-"),
                error("max-waiting-threads=-1", "rate-limiter.max-waiting-threads: '-1' must be at least 0"),
                error("warn-at=0", "rate-limiter.warn-at: '0' must be from 1 to 100"),
                error("warn-at=101", "rate-limiter.warn-at: '101' must be from 1 to 100"),
                error("retry-after-spread=101%", "rate-limiter.retry-after-spread: '101%' must be from 0% to 100%"),
                error("retry-after-spread=10", "rate-limiter.retry-after-spread: '10' must be from 0% to 100%"),
                error("retry-after-spread=-1%", "rate-limiter.retry-after-spread: '-1%' must be from 0% to 100%"),
                error("ipv6-prefix-length=0", "rate-limiter.ipv6-prefix-length: '0' must be from 1 to 128"),
                error("ipv6-prefix-length=129", "rate-limiter.ipv6-prefix-length: '129' must be from 1 to 128"),
                error(
                        "max-requests=1 routes.a.paths=/a routes.a.limits=default routes.a.condition=true;",
                        "rate-limiter.routes.a.condition: 'true;' is not a valid expression"),
                error(
                        "max-requests=1 routes.a.paths=/a routes.a.limits=default routes.a.condition='yes'",
                        "rate-limiter.routes.a.condition: ''yes'' is neither true nor false: write a condition such as"
                                + " #request.header('X-Plan') == 'trial'"),
                error(
                        "max-requests=1 routes.a.paths=/a routes.a.limits=default routes.a.exclude=/a/.*",
                        "RL-203: rate-limiter.routes.a.exclude: '/a/.*' is a regular expression: write the path pattern"
                                + " '/a/**'"),
                error(
                        "max-requests=1 routes.a.paths=/b,/a routes.a.limits=default routes.a.exclude=/a",
                        "RL-203: rate-limiter.routes.a.exclude: '/a' excludes all of '/a', one of the route's paths, which"
                                + " then matches no request"),
                error(
                        "max-requests=1 routes.a.paths=/a/x/** routes.a.limits=default routes.a.exclude=/a/**",
                        "RL-203: rate-limiter.routes.a.exclude: '/a/**' excludes all of '/a/x/**'"),
                error(
                        "max-requests=1 routes.a.paths=/a routes.a.limits=default routes.a.exclude=/{*rest}",
                        "RL-203: rate-limiter.routes.a.exclude: '/{*rest}' excludes all of '/a'"),
                error(
                        "max-requests=1 routes.a.paths=/a routes.a.limits=default routes.a.condition=#id==1",
                        "rate-limiter.routes.a.condition: '#id==1' names [id]"),
                error(
                        "max-requests=1 routes.a.paths=/a routes.a.limits=default routes.a.condition=#request.heder()==1",
                        "rate-limiter.routes.a.condition",
                        "a method 'heder()', which RequestView does not have"),
                error("key-prefix=a{b", "rate-limiter.key-prefix: 'a{b' must not"));
    }

    private static Arguments error(String properties, String... message) {
        List<String> all = List.of(properties.split(" ", -1));
        return arguments(Named.of(properties, all), Named.of(String.join(" / ", message), List.of(message)));
    }

    @Test
    void aValueInPlaceOfAllPropertiesEndsTheStart() {
        Contexts.web()
                .withPropertyValues("rate-limiter=off")
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("RL-111: rate-limiter: 'off' stands where properties belong", "enabled: false"));
    }

    @ParameterizedTest
    @MethodSource("yaml")
    void endsTheStartWith(Map<String, Object> properties, List<String> message) {
        Map<String, Object> prefixed = new HashMap<>();
        properties.forEach((name, value) -> prefixed.put("rate-limiter." + name, value));
        Contexts.web()
                .withInitializer(context ->
                        context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("yaml", prefixed)))
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains(message));
    }

    /** As YAML reads it: numbers are numbers, names are as they were written, and what is left empty is there. */
    static Stream<Arguments> yaml() {
        return Stream.of(
                yaml(Map.of("max-requests", 2.9), "rate-limiter.max-requests: '2.9' is not a whole number"),
                yaml(Map.of("max-requests", 10.000), "rate-limiter.max-requests: '10.0' is not a whole number"),
                yaml(
                        Map.of("max-requests", true),
                        "RL-110: rate-limiter.max-requests: 'true' is not valid: write a whole"),
                yaml(
                        Map.of("limits.a.window-size", false),
                        "RL-110: rate-limiter.limits.a.window-size: 'false' is not valid: write a duration such as"),
                yaml(
                        Map.of("limits.a.ban.for[0]", "60s", "limits.a.ban.for[1]", 600),
                        "RL-110: rate-limiter.limits.a.ban.for[1]: '600' has no unit",
                        "write 600s"),
                yaml(Map.of("ban.for[0]", "60"), "RL-110: rate-limiter.ban.for[0]: '60' has no unit", "write 60s"),
                yaml(Map.of("order", 2.5), "RL-110: rate-limiter.order: '2.5' is not a whole number"),
                yaml(Map.of("limits.a.burst", 2.5), "rate-limiter.limits.a.burst: '2.5' is not a whole number"),
                yaml(
                        Map.of("limits.my limit.max-requests", 5),
                        "rate-limiter.limits: the name 'my limit' may only",
                        "rename it"),
                yaml(Map.of("routes.my/route.paths", "/a"), "rate-limiter.routes", "'my/route'", "rename it"),
                yaml(Map.of("limits.ü.max-requests", 5), "rate-limiter.limits: the name 'ü' may only", "rename it"),
                yaml(Map.of("limits..max-requests", 5), "rate-limiter.limits: the name '' may only", "rename it"),
                yaml(Map.of("limits.a.b.max-requests", 5), "rate-limiter.limits: the name 'a.b' may only", "rename it"),
                yaml(
                        Map.of("limits.a.b.plans[1].max-requests", 5),
                        "RL-113: rate-limiter.limits: the name 'a.b' may only"),
                yaml(
                        Map.of("limits.a.max-requests", 5, "limits.a.plans[1]", 9),
                        "RL-111: rate-limiter.limits.a.plans[1]: '9' stands where the properties of a plan belong"),
                yaml(Map.of("routes.a.b.c.paths[0]", "/a"), "rate-limiter.routes: the name 'a.b.c' may only"),
                yaml(
                        Map.of("limits.a.window.size", 5),
                        "rate-limiter.limits.a.window.size: unknown property",
                        "Did you mean 'window-size'?"),
                yaml(
                        Map.of("limits.a", 5),
                        "rate-limiter.limits.a: '5' stands where the properties of a limit belong",
                        "such as max-requests"),
                yaml(Map.of("limits.a", ""), "rate-limiter.limits.a: '' stands where the properties of a limit"),
                yaml(
                        Map.of("limits[0]", "a"),
                        "rate-limiter.limits[0]: 'a' stands where the properties of a limit belong",
                        "below its name"),
                yaml(
                        Map.of("limits", ""),
                        "rate-limiter.limits: '' stands where named limits belong: write them below it, or leave it"
                                + " out"),
                yaml(
                        Map.of("routes", ""),
                        "rate-limiter.routes: '' stands where named routes belong: write them below it, or leave it"
                                + " out"),
                yaml(
                        Map.of("routes.r", "/a"),
                        "rate-limiter.routes.r: '/a' stands where the properties of a route belong",
                        "such as paths"),
                yaml(
                        Map.of("limits.a.max-requests", 5, "limits.A.max-requests", 9),
                        "rate-limiter.limits: ",
                        "'a'",
                        "'A'",
                        "are the same name to Spring Boot",
                        "rename one of them"),
                yaml(
                        Map.of("limits.e-f.max-requests", 5, "limits.ef.window-size", 9),
                        "rate-limiter.limits: ",
                        "'e-f'",
                        "'ef'",
                        "are the same name to Spring Boot"),
                yaml(
                        Map.of("routes.r.paths[0]", "/a", "routes.R.max-requests", 9),
                        "rate-limiter.routes: ",
                        "'r'",
                        "'R'",
                        "are the same name to Spring Boot"),
                yaml(
                        Map.of("max-requests", ""),
                        "rate-limiter.max-requests: the value is empty: write one, or leave the property out"),
                yaml(
                        Map.of("store", ""),
                        "rate-limiter.store: the value is empty: write one, or leave the property out"),
                yaml(Map.of("enabled", ""), "rate-limiter.enabled: the value is empty"),
                yaml(Map.of("order", ""), "rate-limiter.order: the value is empty"),
                yaml(Map.of("window-size", ""), "rate-limiter.window-size: the value is empty"),
                yaml(Map.of("max-requests", "${rate.max:}"), "rate-limiter.max-requests: the value is empty"),
                yaml(Map.of("limits.a.max-requests", ""), "rate-limiter.limits.a.max-requests: the value is empty"),
                yaml(
                        Map.of("routes.r.paths", "/a", "routes.r.max-requests", 5, "routes.r.cost", ""),
                        "rate-limiter.routes.r.cost: the value is empty"),
                yaml(
                        Map.of("routes.r.paths", "/a", "routes.r.limits[0]", ""),
                        "rate-limiter.routes.r.limits: the name of a limit is empty"),
                unresolved("routes.r.paths", "${no.such}", Map.of("routes.r.max-requests", 5)),
                unresolved("routes.r.paths[0]", "/a/${no.such}", Map.of("routes.r.max-requests", 5)),
                unresolved("routes.r.limits", "${no.such}", Map.of("routes.r.paths", "/a")),
                unresolved("routes.r.key", "header:${no.such}", Map.of()),
                unresolved("key", "${no.such}", Map.of()),
                unresolved("max-requests", "${no.such}", Map.of()),
                unresolved("limits.a.window-size", "${no.such}", Map.of()),
                unresolved("on-store-failure", "${no.such}", Map.of()),
                unresolved("key-prefix", "shop-${no.such}", Map.of()),
                unresolved("trusted-proxies", "10.0.0.0/8,${no.such}", Map.of()),
                yaml(
                        Map.of("routes.r.paths", "GET /a", "routes.r.max-requests", 5),
                        "rate-limiter.routes.r.paths: 'GET /a' begins with an HTTP method"),
                yaml(Map.of("key", "header: X-A"), "rate-limiter.key: key 'header: X-A' names a header ' X-A'"),
                yaml(
                        Map.of("ban", 5),
                        "RL-111: rate-limiter.ban: '5' stands where properties belong: write them below it, such as after"),
                yaml(
                        Map.of("plans.gold", 7),
                        "RL-111: rate-limiter.plans.gold: '7' stands where properties belong",
                        "such as max-requests"),
                yaml(Map.of("plans", "gold"), "RL-111: rate-limiter.plans: 'gold' stands where names belong"),
                yaml(
                        Map.of("routes.r.levels[0]", "org"),
                        "RL-111: rate-limiter.routes.r.levels[0]: 'org' stands where properties belong",
                        "such as limits"),
                yaml(
                        Map.of("routes.r.levels", "org"),
                        "RL-111: rate-limiter.routes.r.levels: 'org' stands where properties belong"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "RATELIMITER_LIMITS   | rate-limiter.limits: 'foo' stands where named limits belong",
                "RATELIMITER_ROUTES   | rate-limiter.routes: 'foo' stands where named routes belong",
                "RATELIMITER_CLIENTS  | rate-limiter.clients: 'foo' stands where named clients belong",
                "RATELIMITER_LIMITS_A | rate-limiter.limits.a: 'foo' stands where the properties of a limit belong",
                "RATELIMITER_ROUTES_A | rate-limiter.routes.a: 'foo' stands where the properties of a route belong"
            })
    void environmentVariablesAreExplainedAlike(String variable, String message) {
        Contexts.plain()
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(
                                "systemEnvironment",
                                new SystemEnvironmentPropertySource("systemEnvironment", Map.of(variable, "foo"))))
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains(message));
    }

    private static Arguments yaml(Map<String, Object> properties, String... message) {
        return arguments(properties, List.of(message));
    }

    private static Arguments unresolved(String property, String value, Map<String, Object> others) {
        Map<String, Object> properties = new HashMap<>(others);
        properties.put(property, value);
        return yaml(
                properties,
                "rate-limiter." + property + ": '" + value
                        + "' names the placeholder 'no.such', for which there is no property: set no.such, or write a"
                        + " default as in ${no.such:VALUE}");
    }
}
