package io.ratelimit.lab.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HeaderCheckTest {

    private static HeaderCheck check(String name, String... values) {
        return HeaderCheck.of(HttpHeaders.of(Map.of(name, List.of(values)), (key, value) -> true));
    }

    @Test
    void readsTheListsOfTheNewestDraft() {
        assertThat(check("RateLimit", "\"burst\";r=19;t=1,\"hourly\";r=990;t=2713")
                        .errors())
                .isEmpty();
        assertThat(check("RateLimit-Policy", "\"burst\";q=20;w=2").errors()).isEmpty();
        assertThat(check("RateLimit", "\"burst\";r=1.5").errors()).hasSize(1);
        assertThat(check("RateLimit", "\"burst;r=1").errors().get(0)).contains("not valid by RFC 9651");
        assertThat(check("RateLimit-Policy", "10;w=60").errors()).hasSize(1);
    }

    @Test
    void readsOlderSpellings() {
        assertThat(check("RateLimit", "limit=10, remaining=5, reset=3").errors())
                .isEmpty();
        assertThat(check("RateLimit", "limit=10, remaining=5").errors())
                .containsExactly("RateLimit: no integer 'reset'");
        assertThat(check("X-RateLimit-Remaining", "5").errors()).isEmpty();
        assertThat(check("X-RateLimit-Reset", "soon").errors())
                .containsExactly("X-RateLimit-Reset: 'soon' is not a number");
    }

    @Test
    void namesTheSpellingsThatItFound() {
        assertThat(check("RateLimit", "limit=10, remaining=5, reset=3").spellings())
                .containsExactly("RateLimit (draft-07 dictionary)");
        assertThat(check("Server", "lab").spellings()).isEmpty();
    }
}
