package io.ratelimit.compatibility.listeners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.Acquisition;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimiter;
import io.ratelimit.spring.Limits;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.kafka.test.context.EmbeddedKafka;

/** A listener that asks for quota in code, as {@code docs/how-to/listeners.md} shows it. */
@Tag("slow")
@SpringBootTest(
        properties = {
            "logging.level.root=ERROR",
            "spring.kafka.consumer.auto-offset-reset=earliest",
            "spring.kafka.consumer.group-id=shop",
            "spring.kafka.listener.ack-mode=manual",
            "rate-limiter.store=in-memory",
            "rate-limiter.limits.partner.max-requests=1",
            "rate-limiter.limits.partner.window-size=1500ms"
        })
@EmbeddedKafka(kraft = true, partitions = 1, bootstrapServersProperty = "spring.kafka.bootstrap-servers")
class KafkaNackTest {

    static class Invoices {

        private final Handled booked = new Handled();
        private final RateLimiter limiter;
        private final Limit partner;

        Invoices(RateLimiter limiter, Limits limits) {
            this.limiter = limiter;
            partner = limits.get("partner");
        }

        @KafkaListener(topics = "invoices")
        public void book(String invoice, Acknowledgment acknowledgment) {
            Decision decision = limiter.acquire(Acquisition.of(partner, "global"));
            if (!decision.allowed()) {
                acknowledgment.nack(decision.retryAfter());
                return;
            }
            booked.add(invoice);
            acknowledgment.acknowledge();
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({Invoices.class, Refusals.class})
    static class Application {}

    @Autowired
    private KafkaTemplate<String, String> kafka;

    @Autowired
    private Invoices invoices;

    @Autowired
    private Refusals refusals;

    @Test
    void aMessageThatIsNotAcknowledgedComesAgainAtTheInstant() {
        for (int i = 1; i <= 3; i++) {
            kafka.send("invoices", "invoice " + i);
        }

        await().atMost(Duration.ofMinutes(1)).until(() -> invoices.booked.has("invoice 3"));
        invoices.booked.assertPaced("invoice 1", "invoice 2", "invoice 3");
        assertThat(refusals.count()).isEqualTo(2);
    }
}
