package io.ratelimit.spring.internal.method;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.util.ErrorHandler;

/** Whoever calls a method with no client behind it logs what it throws: a scheduler, a broker's listener. */
class ScheduledTest {

    private final List<Throwable> failures = new CopyOnWriteArrayList<>();

    static class Job {
        @RateLimited(maxRequests = "1", windowSize = "1h", key = "global")
        @Scheduled(fixedDelay = 1, timeUnit = MILLISECONDS)
        public void run() {}
    }

    static class PatientJob {
        private final AtomicInteger runs = new AtomicInteger();

        @RateLimited(algorithm = "token-bucket", maxRequests = "1", windowSize = "50ms", key = "global", maxWait = "1h")
        @Scheduled(fixedDelay = 1, timeUnit = MILLISECONDS)
        public void run() {
            runs.incrementAndGet();
        }

        public int runs() {
            return runs.get();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Scheduling {
        @Bean
        ThreadPoolTaskScheduler taskScheduler(ErrorHandler failures) {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setErrorHandler(failures);
            return scheduler;
        }
    }

    @Test
    void aRefusedRunIsOneLine() {
        Contexts.plain()
                .withBean(ErrorHandler.class, () -> failures::add)
                .withUserConfiguration(Scheduling.class)
                .withBean(Job.class)
                .run(context -> {
                    await().until(() -> failures.size() >= 2);
                    assertThat(failures)
                            .allSatisfy(failure -> assertThat(logged(failure))
                                    .startsWith("io.ratelimit.RateLimitExceededException: refused by limit 'Job.run'")
                                    .hasLineCount(1));
                });
    }

    @Test
    void aRunThatWaitsIsNotRefused() {
        Contexts.plain()
                .withBean(ErrorHandler.class, () -> failures::add)
                .withUserConfiguration(Scheduling.class)
                .withBean(PatientJob.class)
                .run(context -> {
                    PatientJob job = context.getBean(PatientJob.class);
                    await().until(() -> job.runs() >= 5);
                    assertThat(failures).isEmpty();
                });
    }

    private static String logged(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString().strip();
    }
}
