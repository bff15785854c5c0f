package io.ratelimit.compatibility.listeners;

import static org.awaitility.Awaitility.await;

import io.ratelimit.spring.RateLimited;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.test.context.EmbeddedKafka;

/** A listener that waits for longer than Kafka waits for its next poll. */
@Tag("slow")
@SpringBootTest(
        properties = {
            "logging.level.root=OFF",
            "spring.kafka.consumer.auto-offset-reset=earliest",
            "spring.kafka.consumer.group-id=shop",
            "spring.kafka.consumer.properties.max.poll.interval.ms=1000",
            "rate-limiter.store=in-memory"
        })
@EmbeddedKafka(kraft = true, partitions = 1, bootstrapServersProperty = "spring.kafka.bootstrap-servers")
class KafkaPollBudgetTest {

    static class Parcels {

        private final List<String> sent = new CopyOnWriteArrayList<>();

        @KafkaListener(topics = "parcels")
        @RateLimited(maxRequests = "1", windowSize = "3s", key = "global", maxWait = "1m")
        public void send(String parcel) {
            sent.add(parcel);
        }

        public long sent(String parcel) {
            return sent.stream().filter(parcel::equals).count();
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Parcels.class)
    static class Application {}

    @Autowired
    private KafkaTemplate<String, String> kafka;

    @Autowired
    private Parcels parcels;

    @Test
    void aMessageThatWaitsForTooLongIsDeliveredAgain() {
        kafka.send("parcels", "parcel 1");
        kafka.send("parcels", "parcel 2");

        await().atMost(Duration.ofMinutes(1)).until(() -> parcels.sent("parcel 2") >= 2);
    }
}
