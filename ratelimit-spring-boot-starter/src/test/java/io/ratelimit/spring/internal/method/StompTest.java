package io.ratelimit.spring.internal.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.ratelimit.RateLimitExceededException;
import io.ratelimit.spring.RateLimited;
import io.ratelimit.spring.testing.Contexts;
import io.ratelimit.spring.testing.LogCapture;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.MessageExceptionHandler;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.simp.SimpMessageHeaderAccessor;
import org.springframework.messaging.simp.SimpMessagingTemplate;
import org.springframework.messaging.simp.annotation.support.SimpAnnotationMethodMessageHandler;
import org.springframework.messaging.support.ExecutorSubscribableChannel;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.stereotype.Controller;

/** Methods that answer messages of STOMP clients: a refusal is one line in the log, and the application may answer it. */
class StompTest {

    private static final List<String> ANSWERED = new ArrayList<>();

    @Controller
    static class Chat {
        @RateLimited(maxRequests = "1", windowSize = "1h", key = "global")
        @MessageMapping("/say")
        public void say(String text) {
            ANSWERED.add(text);
        }
    }

    @Controller
    static class PoliteChat extends Chat {
        @MessageExceptionHandler
        public void refused(RateLimitExceededException refused) {
            ANSWERED.add("sorry, " + refused.decision().limits().get(0).limit().name());
        }
    }

    @Controller
    static class PatientChat {
        @RateLimited(algorithm = "token-bucket", maxRequests = "1", windowSize = "50ms", key = "global", maxWait = "1h")
        @MessageMapping("/say")
        public void say(String text) {
            ANSWERED.add(text);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Stomp {
        @Bean
        SimpAnnotationMethodMessageHandler messages() {
            ExecutorSubscribableChannel channel = new ExecutorSubscribableChannel();
            return new SimpAnnotationMethodMessageHandler(channel, channel, new SimpMessagingTemplate(channel));
        }
    }

    @Test
    void aRefusedMessageIsOneLine() {
        assertThat(logOfThreeMessages(Chat.class).strip())
                .contains("ERROR", "io.ratelimit.RateLimitExceededException: refused by limit 'Chat.say'")
                .doesNotContain("\tat ");
        assertThat(ANSWERED).containsExactly("hello 1");
    }

    @Test
    void aRefusedMessageReachesTheApplicationsHandler() {
        assertThat(logOfThreeMessages(PoliteChat.class)).doesNotContain("ERROR");
        assertThat(ANSWERED).containsExactly("hello 1", "sorry, Chat.say", "sorry, Chat.say");
    }

    @Test
    void messagesThatWaitAreNotRefused() {
        assertThat(logOfThreeMessages(PatientChat.class)).doesNotContain("ERROR");
        assertThat(ANSWERED).containsExactly("hello 1", "hello 2", "hello 3");
    }

    private static String logOfThreeMessages(Class<?> chat) {
        ANSWERED.clear();
        try (LogCapture log = LogCapture.of(SimpAnnotationMethodMessageHandler.class.getName())) {
            Contexts.plain().withUserConfiguration(Stomp.class).withBean(chat).run(context -> {
                for (int i = 1; i <= 3; i++) {
                    context.getBean(SimpAnnotationMethodMessageHandler.class).handleMessage(say("hello " + i));
                }
            });
            return log.text();
        }
    }

    private static Message<String> say(String text) {
        SimpMessageHeaderAccessor headers = SimpMessageHeaderAccessor.create();
        headers.setDestination("/say");
        headers.setSessionId("1");
        headers.setSessionAttributes(new HashMap<>());
        return MessageBuilder.createMessage(text, headers.getMessageHeaders());
    }
}
