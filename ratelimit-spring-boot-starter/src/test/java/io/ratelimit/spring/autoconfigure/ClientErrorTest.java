package io.ratelimit.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.StartFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.context.FilteredClassLoader;

/** What cannot work below {@code rate-limiter.clients} stops the start, and says what to do. */
class ClientErrorTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "hosts= | RL-701: rate-limiter.clients.shop.hosts: no hosts",
                "hosts=https://api.example.com | RL-701: rate-limiter.clients.shop.hosts: 'https://api.example.com' is not a host",
                "hosts=api.example.com,api.example.com/v1 | RL-701: rate-limiter.clients.shop.hosts: 'api.example.com/v1' is not a host",
                "hosts=other.example.com | RL-701: rate-limiter.clients.shop.hosts: 'other.example.com' is named by the client 'other', too",
                "hosts=a.example.com,A.example.com | RL-701: rate-limiter.clients.shop.hosts: 'A.example.com' is named by the client 'shop', too",
                "limits=nobody | RL-105: rate-limiter.clients.shop.limits: limit 'nobody'",
                "limits=partner,partner | RL-702: rate-limiter.clients.shop.limits: [partner, partner] names a limit twice",
                "limits=slots | RL-702: rate-limiter.clients.shop.limits: limit 'slots' of concurrency does not count requests",
                "limits=devices | RL-702: rate-limiter.clients.shop.limits: limit 'devices' of unique-count does not count requests",
                "limits=guesses | RL-702: rate-limiter.clients.shop.limits: limit 'guesses' has a ban that counts failures",
                "obey=everything | RL-703: rate-limiter.clients.shop.obey: 'everything' is unknown",
                "obey=x-ratelimit-ü | RL-703: rate-limiter.clients.shop.obey: 'x-ratelimit-ü' is unknown",
                "key=ip | RL-703: rate-limiter.clients.shop.key: 'ip' names nothing",
                "key=header:X-Api-Key | RL-703: rate-limiter.clients.shop.key: 'header:X-Api-Key' names nothing",
                "key=#principal.name | RL-703: rate-limiter.clients.shop.key: '#principal.name' names nothing",
                "key=#request.path() | RL-703: rate-limiter.clients.shop.key: '#request.path()' names nothing",
                "key=#order.id | RL-403: rate-limiter.clients.shop.key",
                "max-wait=25h | RL-703: rate-limiter.clients.shop.max-wait: '25h' is out of range",
                "max-wait=-1s | RL-703: rate-limiter.clients.shop.max-wait: '-1s' is out of range",
                "max-block=0 | RL-703: rate-limiter.clients.shop.max-block: '0s' is out of range",
                "max-block=367d | RL-703: rate-limiter.clients.shop.max-block: '367d' is out of range",
                "host=api.example.com | RL-109",
            })
    void stopsTheStart(String property, String message) {
        Contexts.plain()
                .withPropertyValues(
                        "rate-limiter.limits.partner.max-requests=5",
                        "rate-limiter.limits.slots.max-requests=5",
                        "rate-limiter.limits.slots.use-algo=concurrency",
                        "rate-limiter.limits.devices.max-requests=5",
                        "rate-limiter.limits.devices.use-algo=unique-count",
                        "rate-limiter.limits.guesses.max-requests=5",
                        "rate-limiter.limits.guesses.count=401",
                        "rate-limiter.limits.guesses.ban.after=5",
                        "rate-limiter.limits.guesses.ban.within=10m",
                        "rate-limiter.limits.guesses.ban.for=1h",
                        "rate-limiter.clients.other.hosts=other.example.com",
                        "rate-limiter.clients.other.limits=partner",
                        "rate-limiter.clients.shop.hosts=api.example.com",
                        "rate-limiter.clients.shop.limits=partner",
                        "rate-limiter.clients.shop." + property.strip())
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains(message));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "rate-limiter.clients.shop.limits=partner | RL-701: rate-limiter.clients.shop.hosts: no hosts",
                "rate-limiter.clients.shop.hosts=a.example.com | RL-702: rate-limiter.clients.shop.limits: no limits",
                "rate-limiter.clients.my shop.hosts=a.example.com | RL-113: rate-limiter.clients: the name 'my shop'",
                "rate-limiter.clients.shop=a.example.com | RL-111: rate-limiter.clients.shop: 'a.example.com' stands where"
            })
    void stopsTheStartIfSomethingIsMissing(String property, String message) {
        Contexts.plain()
                .withPropertyValues("rate-limiter.limits.partner.max-requests=5", property)
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains(message));
    }

    /** Nobody asks for what Feign's clients need before the first of them is built. */
    @Test
    void stopsTheStartWhereFeignIsTheOnlyClientAndNotBuiltYet() {
        Contexts.plain()
                .withClassLoader(new FilteredClassLoader(
                        "org.springframework.boot.web.client", "org.springframework.boot.web.reactive.function.client"))
                .withPropertyValues(
                        "rate-limiter.limits.partner.max-requests=5",
                        "rate-limiter.clients.shop.hosts=https://api.example.com",
                        "rate-limiter.clients.shop.limits=partner")
                .run(context -> assertThat(StartFailure.text(context.getStartupFailure()))
                        .contains("RL-701: rate-limiter.clients.shop.hosts: 'https://api.example.com' is not a host"));
    }
}
