package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ratelimit.spring.InvalidRateLimitException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientAddressesTest {

    private static final ClientAddresses BEHIND_PROXIES =
            new ClientAddresses(List.of("10.0.0.0/8", "192.168.7.7", "fd00::/8"), null, 64);

    @Test
    void believesNoHeaderOfAnUntrustedPeer() {
        assertThat(find(BEHIND_PROXIES, "203.0.113.9", List.of("for=198.51.100.1"), List.of("198.51.100.1")))
                .isEqualTo("203.0.113.9");
        assertThat(find(new ClientAddresses(List.of(), null, 64), "10.0.0.1", List.of(), List.of("198.51.100.1")))
                .isEqualTo("10.0.0.1");
    }

    /** As Jetty and Spring's own reading of headers write them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[2001:db8:1:2:0:0:0:9] | 2001:db8:1:2:0:0:0:0/64",
                "[198.51.100.1:4711] | 198.51.100.1",
                "198.51.100.1:4711 | 198.51.100.1",
                "[198.51.100.1 | unknown"
            })
    void aPeerMayHaveBracketsAndAPort(String peer, String address) {
        assertThat(find(BEHIND_PROXIES, peer, List.of(), List.of())).isEqualTo(address);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "198.51.100.1 | 198.51.100.1",
                "198.51.100.1, 10.0.0.2 | 198.51.100.1",
                "9.9.9.9, 198.51.100.1 | 198.51.100.1",
                "9.9.9.9, 198.51.100.1, 192.168.7.7, 10.0.0.2 | 198.51.100.1",
                "198.51.100.1:4711 | 198.51.100.1",
                "2001:db8:1:2::9 | 2001:db8:1:2:0:0:0:0/64",
                "[2001:db8:1:2::9]:4711 | 2001:db8:1:2:0:0:0:0/64",
                "fd00::5%eth0 | fd00:0:0:0:0:0:0:0/64",
                "::ffff:198.51.100.1 | 198.51.100.1"
            })
    void takesTheRightmostUntrustedAddressOfXForwardedFor(String header, String address) {
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of(), List.of(header))).isEqualTo(address);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "for=198.51.100.1 | 198.51.100.1",
                "For=\"198.51.100.1:4711\";proto=https | 198.51.100.1",
                "proto=https;for=198.51.100.1;by=10.0.0.1 | 198.51.100.1",
                "for=\"[2001:db8:1:2::9]:4711\" | 2001:db8:1:2:0:0:0:0/64",
                "for=9.9.9.9, for=198.51.100.1, for=10.0.0.2 | 198.51.100.1",
                "for=198.51.100.1;host=\"a.example, for=9.9.9.9\" | 198.51.100.1",
                "host=\"x;for=9.9.9.9\";for=198.51.100.1 | 198.51.100.1",
                "for=198.51.100.1;host=\"x\\\", for=9.9.9.9\" | 198.51.100.1",
                "for=198.51.100.1;host=\"x, for=9.9.9.9\\\\\" | 198.51.100.1",
                "for=198.51.100.1;host=\"\\\"\\\", for=9.9.9.9\" | 198.51.100.1"
            })
    void takesTheRightmostUntrustedAddressOfForwarded(String header, String address) {
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of(header), List.of())).isEqualTo(address);
    }

    @Test
    void readsRepeatedHeadersAsOneList() {
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of(), List.of("9.9.9.9", "198.51.100.1, 10.0.0.3")))
                .isEqualTo("198.51.100.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "_gazonk", "", "not an address", "for", "[2001:db8::1", "1.2.3.4.5", ",,"})
    void stopsAtWhatIsNoAddress(String garbage) {
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of(), List.of("9.9.9.9, " + garbage)))
                .isEqualTo("10.0.0.1");
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of("for=9.9.9.9, for=" + garbage), List.of()))
                .isEqualTo("10.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "for=9.9.9.9;host=\", for=198.51.100.1",
                "for=9.9.9.9;host=\"x\\\", for=198.51.100.1",
                "for=\"9.9.9.9, for=198.51.100.1",
                "for=9.9.9.9;host=\"a\";by=\", for=198.51.100.1"
            })
    void believesWhatAProxyAppendedToAQuoteThatTheClientHasNotClosed(String header) {
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of(header), List.of("9.9.9.9")))
                .isEqualTo("10.0.0.1");
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of(header), List.of())).isEqualTo("198.51.100.1");
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of(header + ", for=10.0.0.2"), List.of()))
                .isEqualTo("198.51.100.1");
    }

    @Test
    void stopsAtTheLastAddressThatATrustedProxyWrote() {
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of(), List.of("9.9.9.9, unknown, 10.0.0.2")))
                .isEqualTo("10.0.0.2");
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of(), List.of("10.0.0.3, 10.0.0.2")))
                .isEqualTo("10.0.0.3");
    }

    @Test
    void believesBothHeadersOnlyIfTheyAgree() {
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of("for=198.51.100.1"), List.of("198.51.100.1")))
                .isEqualTo("198.51.100.1");
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of("for=9.9.9.9"), List.of("198.51.100.1")))
                .isEqualTo("10.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"for=unknown", "for=_gazonk", "", "nonsense", "for=9.9.9.9, for=unknown", "for=\"9.9.9.9", "\""})
    void aHeaderWhoseLastElementIsNoAddressChangesNothing(String added) {
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of(added), List.of("198.51.100.1")))
                .isEqualTo("198.51.100.1");
        assertThat(findAll(BEHIND_PROXIES, "10.0.0.1", List.of(added), List.of("198.51.100.1")))
                .containsExactly("198.51.100.1");
        assertThat(find(BEHIND_PROXIES, "10.0.0.1", List.of("for=198.51.100.1"), List.of("9.9.9.9, " + added)))
                .isEqualTo("198.51.100.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"for=9.9.9.9", "for=unknown", "for=10.0.0.7", "for=9.9.9.9, for=10.0.0.2"})
    void noOtherHeaderCountsThanTheOneThatTheProxiesWrite(String added) {
        ClientAddresses byXForwardedFor = behindProxies("x-forwarded-for");
        assertThat(find(byXForwardedFor, "10.0.0.1", List.of(added), List.of("9.9.9.9, 198.51.100.1, 10.0.0.2")))
                .isEqualTo("198.51.100.1");
        assertThat(findAll(byXForwardedFor, "10.0.0.1", List.of(added), List.of("2001:db8:1:2::9")))
                .containsExactly("2001:db8:1:2:0:0:0:9");
        assertThat(find(byXForwardedFor, "10.0.0.1", List.of(added), List.of())).isEqualTo("10.0.0.1");

        ClientAddresses byForwarded = behindProxies("Forwarded");
        assertThat(find(byForwarded, "10.0.0.1", List.of("for=198.51.100.1"), List.of("9.9.9.9")))
                .isEqualTo("198.51.100.1");
        assertThat(find(byForwarded, "10.0.0.1", List.of("for=unknown"), List.of("9.9.9.9")))
                .isEqualTo("10.0.0.1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "198.51.100.1 | 198.51.100.1",
                "2001:db8:1:2::9 | 2001:db8:1:2:0:0:0:0/64",
                "10.0.0.5 | 10.0.0.5",
                "unknown | 10.0.0.1",
                "'' | 10.0.0.1"
            })
    void takesTheAddressThatAnyNamedHeaderHolds(String header, String address) {
        Map<String, List<String>> headers = Map.of(
                "CF-Connecting-IP",
                List.of(header),
                "Forwarded",
                List.of("for=9.9.9.9"),
                "X-Forwarded-For",
                List.of("9.9.9.9"));
        ClientAddresses addresses = behindProxies("CF-Connecting-IP");
        assertThat(addresses.find("10.0.0.1", headers::get)).isEqualTo(address);
        assertThat(addresses.find("203.0.113.9", headers::get)).isEqualTo("203.0.113.9");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "X Forwarded", "header:X-Real-IP", "X-Real-IP, Forwarded"})
    void refusesWhatIsNoNameOfAHeader(String header) {
        assertThatThrownBy(() -> behindProxies(header))
                .isInstanceOf(InvalidRateLimitException.class)
                .hasMessage(
                        "RL-114: rate-limiter.client-address-header: '%s' is not the name of a header: write one, such as"
                                + " X-Forwarded-For",
                        header);
    }

    @Test
    void trustsAMappedV4PeerAsTheV4AddressItIs() {
        assertThat(find(BEHIND_PROXIES, "::ffff:10.0.0.1", List.of(), List.of("198.51.100.1")))
                .isEqualTo("198.51.100.1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"10.0.0.0/33", "10.0.0/8", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/-1", "fd00::/129", "proxy", ""})
    void refusesWhatIsNoNetwork(String cidr) {
        assertThatThrownBy(() -> new ClientAddresses(List.of(cidr), null, 64))
                .isInstanceOf(InvalidRateLimitException.class)
                .hasMessage(
                        "RL-114: rate-limiter.trusted-proxies: '%s' is not a network: write it as 10.0.0.0/8 or 2001:db8::/32",
                        cidr);
    }

    private static ClientAddresses behindProxies(String header) {
        return new ClientAddresses(List.of("10.0.0.0/8"), header, 64);
    }

    private static String find(
            ClientAddresses addresses, String peer, List<String> forwarded, List<String> xForwardedFor) {
        return addresses.find(peer, headers(forwarded, xForwardedFor));
    }

    private static List<String> findAll(
            ClientAddresses addresses, String peer, List<String> forwarded, List<String> xForwardedFor) {
        return addresses.findAll(peer, headers(forwarded, xForwardedFor));
    }

    private static Function<String, List<String>> headers(List<String> forwarded, List<String> xForwardedFor) {
        return name -> name.equalsIgnoreCase("Forwarded") ? forwarded : xForwardedFor;
    }
}
