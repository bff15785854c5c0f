package io.ratelimit.spring.internal.rule;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {

    @ParameterizedTest
    @CsvSource({
        "203.0.113.9, 203.0.113.9",
        "0.0.0.0, 0.0.0.0",
        "::ffff:203.0.113.9, 203.0.113.9",
        "2001:db8:1:2:3:4:5:6, 2001:db8:1:2:0:0:0:0/64",
        "2001:DB8:1:2::9, 2001:db8:1:2:0:0:0:0/64",
        "::1, 0:0:0:0:0:0:0:0/64",
        "fe80::1%eth0, fe80:0:0:0:0:0:0:0/64",
        "64:ff9b::203.0.113.9, 203.0.113.9",
        "64:ff9b::cb00:7109, 203.0.113.9",
        "64:ff9b:1::cb00:7109, 64:ff9b:1:0:0:0:0:0/64"
    })
    void countsV4WholeAndV6BySubscriber(String text, String counted) {
        assertThat(IpAddress.parse(text).counted(64)).isEqualTo(counted);
    }

    @ParameterizedTest
    @CsvSource({
        "2001:db8:1:2ff:3:4:5:6, 56, 2001:db8:1:200:0:0:0:0/56",
        "2001:db8:1:2ff:3:4:5:6, 48, 2001:db8:1:0:0:0:0:0/48",
        "2001:db8:1:2ff:3:4:5:6, 61, 2001:db8:1:2f8:0:0:0:0/61",
        "2001:db8:1:2ff:3:4:5:6, 128, 2001:db8:1:2ff:3:4:5:6/128",
        "2001:db8:1:2ff:3:4:5:6, 1, 0:0:0:0:0:0:0:0/1",
        "203.0.113.9, 8, 203.0.113.9",
        "64:ff9b::203.0.113.9, 16, 203.0.113.9"
    })
    void aSubscriberMayHaveAnotherNetwork(String text, int prefixLength, String counted) {
        assertThat(IpAddress.parse(text).counted(prefixLength)).isEqualTo(counted);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "unknown",
                "_hidden",
                "localhost",
                "example.com",
                "127.1",
                "010.0.0.1",
                "256.0.0.1",
                "1.2.3",
                "1.2.3.4.5",
                "1.2.3.4%eth0",
                "fe80::1%",
                "fe80::1%eth0;x",
                "0x7f.0.0.1",
                "3405803785",
                "::1::2",
                ":",
                "2001:db8",
                "2001:db8::g",
                "1:2:3:4:5:6:7:8:9"
            })
    void takesNothingElseForAnAddress(String text) {
        assertThat(IpAddress.parse(text)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, 10.0.0.0, 8, true",
        "11.1.2.3, 10.0.0.0, 8, false",
        "192.168.1.127, 192.168.1.0, 25, true",
        "192.168.1.128, 192.168.1.0, 25, false",
        "203.0.113.9, 0.0.0.0, 0, true",
        "2001:db8:ffff::1, 2001:db8::, 32, true",
        "2001:db9::1, 2001:db8::, 32, false",
        "::1, 0.0.0.0, 0, false",
        "203.0.113.9, ::, 0, false",
        "::ffff:10.1.2.3, 10.0.0.0, 8, true"
    })
    void knowsItsNetworks(String address, String network, int bits, boolean within) {
        assertThat(IpAddress.parse(address).isWithin(IpAddress.parse(network), bits))
                .isEqualTo(within);
    }
}
