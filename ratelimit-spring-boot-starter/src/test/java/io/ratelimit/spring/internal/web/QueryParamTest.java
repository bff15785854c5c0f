package io.ratelimit.spring.internal.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueryParamTest {

    @ParameterizedTest
    @CsvSource({
        "user=alice, alice",
        "a=1&user=alice&user=bob, alice",
        "user=, ''",
        "user, ''",
        "user=a%20b+c, a b c",
        "us%65r=alice, alice",
        "user=a=b, a=b",
        "&&user=alice, alice",
        "user=%zz1&user=alice, alice",
        "%zz=1&user=%&user=alice, alice",
        "user=%+1%+2&user=alice, alice",
        "user=%-0&user=alice, alice",
        "user=%٦1&user=alice, alice",
        "us%+5r=bob&user=alice, alice",
        "user=%C3%BC, ü"
    })
    void readsTheFirstValue(String query, String value) {
        assertThat(QueryParam.first(query, "user")).isEqualTo(value);
    }

    @Test
    void isNullWithoutTheParameter() {
        assertThat(QueryParam.first("", "user")).isNull();
        assertThat(QueryParam.first("users=alice&xuser=bob", "user")).isNull();
        assertThat(QueryParam.first("user=%zz", "user")).isNull();
        assertThat(QueryParam.first("user=%+1", "user")).isNull();
    }
}
