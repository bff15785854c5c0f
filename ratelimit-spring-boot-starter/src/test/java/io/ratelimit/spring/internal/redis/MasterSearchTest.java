package io.ratelimit.spring.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MasterSearchTest {

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // System.nanoTime() may overflow
    private final List<CompletableFuture<Void>> begun = new ArrayList<>();
    private boolean broken;
    private final MasterSearch search = new MasterSearch(this::begin, nanos::get);

    private CompletableFuture<Void> begin() {
        begun.add(new CompletableFuture<>());
        if (broken) {
            throw new IllegalStateException("broken for the test");
        }
        return begun.get(begun.size() - 1);
    }

    @Test
    void aThousandFailuresOfOneSecondBeginOneSearch() {
        for (int i = 0; i < 1_000; i++) {
            search.begin();
            end();
            nanos.addAndGet(Duration.ofSeconds(1).toNanos() / 1_000);
        }
        assertThat(begun).hasSize(1);

        search.begin();
        assertThat(begun).hasSize(2);
    }

    @Test
    void aSearchThatTakesLongerIsNotJoinedByAnother() {
        search.begin();
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
        search.begin();
        assertThat(begun).hasSize(1);

        end();
        search.begin();
        assertThat(begun).hasSize(2);
    }

    @Test
    void onesThatFailAreRepeated() {
        search.begin();
        begun.get(0).completeExceptionally(new IllegalStateException("no node answered"));
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        broken = true;
        search.begin();
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        search.begin();

        assertThat(begun).hasSize(3);
    }

    @Test
    void anErrorOfTheJvmIsNotTheLastSearch() {
        MasterSearch failing = new MasterSearch(
                () -> {
                    begun.add(new CompletableFuture<>());
                    throw new NoClassDefFoundError("chosen by the test");
                },
                nanos::get);
        failing.begin();
        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        failing.begin();

        assertThat(begun).hasSize(2);
    }

    private void end() {
        begun.forEach(each -> each.complete(null));
    }
}
