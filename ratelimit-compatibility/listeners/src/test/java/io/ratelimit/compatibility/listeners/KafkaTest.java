package io.ratelimit.compatibility.listeners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.CommonDelegatingErrorHandler;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ContainerPausingBackOffHandler;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.ListenerContainerPauseService;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.test.context.EmbeddedKafka;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.util.backoff.FixedBackOff;

/** Limited listeners of Kafka, as {@code docs/how-to/listeners.md} shows them. */
@Tag("thorough")
@SpringBootTest(
        properties = {
            "logging.level.root=ERROR",
            "spring.kafka.consumer.auto-offset-reset=earliest",
            "spring.kafka.consumer.group-id=shop",
            "rate-limiter.store=in-memory"
        })
@EmbeddedKafka(kraft = true, partitions = 1, bootstrapServersProperty = "spring.kafka.bootstrap-servers")
class KafkaTest {

    static class Mails {

        private final Handled sent = new Handled();

        @KafkaListener(topics = "mails")
        @RateLimited(maxRequests = "1", windowSize = "1500ms", key = "global", maxWait = "5s")
        public void send(String mail) {
            sent.add(mail);
        }

        public Handled sent() {
            return sent;
        }
    }

    static class Orders {

        private final Handled placed = new Handled();

        @KafkaListener(topics = "orders")
        @RateLimited(maxRequests = "1", windowSize = "1500ms", key = "global")
        public void place(String order) {
            placed.add(order);
            if (order.startsWith("bad")) {
                throw new IllegalArgumentException("cannot be placed");
            }
        }

        public Handled placed() {
            return placed;
        }
    }

    static class DeadLetters {

        private final List<String> letters = new CopyOnWriteArrayList<>();

        @KafkaListener(topics = {"orders-dlt", "mails-dlt"})
        public void read(String letter) {
            letters.add(letter);
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @EnableScheduling
    @Import({Mails.class, Orders.class, DeadLetters.class, Refusals.class})
    static class Application {

        @Bean
        CommonErrorHandler errorHandler(
                KafkaTemplate<?, ?> template, KafkaListenerEndpointRegistry listeners, TaskScheduler scheduler) {
            DefaultErrorHandler refused = new DefaultErrorHandler(
                    null,
                    new FixedBackOff(),
                    new ContainerPausingBackOffHandler(new ListenerContainerPauseService(listeners, scheduler)));
            refused.setBackOffFunction((message, refusal) -> new FixedBackOff(
                    ((RateLimitExceededException) refusal)
                                    .decision()
                                    .retryAfter()
                                    .toMillis()
                            + 1,
                    FixedBackOff.UNLIMITED_ATTEMPTS));
            CommonDelegatingErrorHandler handler = new CommonDelegatingErrorHandler(
                    new DefaultErrorHandler(new DeadLetterPublishingRecoverer(template), new FixedBackOff(0, 2)));
            handler.setErrorHandlers(Map.of(RateLimitExceededException.class, refused));
            return handler;
        }
    }

    @Autowired
    private KafkaTemplate<String, String> kafka;

    @Autowired
    private Mails mails;

    @Autowired
    private Orders orders;

    @Autowired
    private DeadLetters deadLetters;

    @Autowired
    private Refusals refusals;

    @Autowired
    private KafkaListenerEndpointRegistry listeners;

    @Test
    void aListenerWaitsForQuota() {
        send("mails", "mail 1", "mail 2", "mail 3");

        await().atMost(Duration.ofMinutes(1)).until(() -> mails.sent().has("mail 3"));
        mails.sent().assertPaced("mail 1", "mail 2", "mail 3");
    }

    @Test
    void aRefusedMessageComesAgainAtTheInstantAndIsNoDeadLetter() {
        send("orders", "order 1", "order 2", "bad order", "order 3");

        await().atMost(Duration.ofMinutes(1))
                .until(() -> listeners.getListenerContainers().stream()
                        .anyMatch(MessageListenerContainer::isContainerPaused));
        await().atMost(Duration.ofMinutes(1)).until(() -> orders.placed().has("order 3"));
        orders.placed().assertPaced("order 1", "order 2", "bad order", "bad order", "bad order", "order 3");
        await().atMost(Duration.ofMinutes(1)).until(() -> deadLetters.letters.contains("bad order"));
        assertThat(deadLetters.letters).doesNotContain("order 2", "order 3");
        assertThat(refusals.count()).isEqualTo(5);
    }

    private void send(String topic, String... messages) {
        for (String message : messages) {
            kafka.send(topic, message);
        }
    }
}
