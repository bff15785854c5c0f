package io.ratelimit.spring.ai;

import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.common.McpTransportContext;
import io.modelcontextprotocol.server.McpStatelessServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.ratelimit.Acquisition;
import io.ratelimit.Algorithm;
import io.ratelimit.Decision;
import io.ratelimit.Limit;
import io.ratelimit.RateLimitExceededException;
import io.ratelimit.RateLimiter;
import io.ratelimit.memory.InMemoryRateLimiter;
import io.ratelimit.testing.SettableClock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.ai.mcp.McpToolUtils;
import org.springframework.ai.tool.annotation.Tool;
import org.springframework.ai.tool.method.MethodToolCallbackProvider;
import org.springframework.aop.MethodBeforeAdvice;
import org.springframework.aop.framework.ProxyFactory;

/** What the client of an MCP server gets from a tool whose advice refuses, as that of {@code @RateLimited} does. */
class McpToolTest {

    private final RateLimiter limiter = InMemoryRateLimiter.create(1_000, new SettableClock());
    private final Limit limit = Limit.of("weather", Algorithm.FIXED_WINDOW, 1, Duration.ofMinutes(1));

    public static class Weather { // public, because Spring AI calls it through a proxy that is

        @Tool(description = "weather of a city")
        public String weather(String city) {
            return "mild in " + city;
        }
    }

    @Test
    void aRefusalIsAnErrorOfTheToolThatSaysHowLongToWait() {
        SyncToolSpecification tool = McpToolUtils.toStatelessSyncToolSpecification(
                MethodToolCallbackProvider.builder()
                        .toolObjects(limited(new Weather()))
                        .build()
                        .getToolCallbacks()[0],
                null);

        assertThat(called(tool).isError()).isFalse();
        CallToolResult refused = called(tool);

        assertThat(refused.isError()).isTrue();
        assertThat(refused.content()).asString().contains("refused by limit 'weather', retry after PT1M");
    }

    private Object limited(Object tools) {
        ProxyFactory proxy = new ProxyFactory(tools);
        proxy.setProxyTargetClass(true);
        proxy.addAdvice((MethodBeforeAdvice) (method, arguments, target) -> {
            Decision decision = limiter.acquire(Acquisition.of(limit, "global"));
            if (!decision.allowed()) {
                throw new RateLimitExceededException(decision);
            }
        });
        return proxy.getProxy();
    }

    @SuppressWarnings("deprecation") // in the SDK of Spring AI 2.0, whose other way 1.1 does not have
    private static CallToolResult called(SyncToolSpecification tool) {
        return tool.callHandler()
                .apply(
                        McpTransportContext.EMPTY,
                        CallToolRequest.builder()
                                .name("weather")
                                .arguments(Map.of("city", "Rome"))
                                .build());
    }
}
