package io.ratelimit.spring.testing;

import java.time.Duration;
import org.springframework.boot.web.embedded.netty.NettyReactiveWebServerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.client.ReactorResourceFactory;

/** The two kinds of web application. */
public enum Stack {
    /** Spring MVC on Tomcat. */
    SERVLET("server.servlet.context-path", OnTomcat.class),
    /** WebFlux on Netty. */
    REACTIVE("spring.webflux.base-path", OnNetty.class);

    private final String basePath;
    private final Class<?> server;

    Stack(String basePath, Class<?> server) {
        this.basePath = basePath;
        this.server = server;
    }

    /** The property that names the path below which the application is. */
    public String basePath() {
        return basePath;
    }

    Class<?> server() {
        return server;
    }

    /** As Spring Boot sets it up. */
    @Configuration(proxyBeanMethods = false)
    static class OnTomcat {}

    /**
     * Tomcat is on the class path, too. One request a connection, because Reactor Netty 1.2.18 and 1.3.7 sometimes stop
     * reading one that is kept alive: https://github.com/reactor/reactor-netty/issues/4361
     */
    @Configuration(proxyBeanMethods = false)
    static class OnNetty {
        @Bean
        NettyReactiveWebServerFactory webServerFactory(ReactorResourceFactory resources) {
            NettyReactiveWebServerFactory server = new NettyReactiveWebServerFactory();
            server.setResourceFactory(resources);
            server.addServerCustomizers(http -> http.maxKeepAliveRequests(1));
            return server;
        }

        @Bean
        ReactorResourceFactory resources() {
            return ownThreads();
        }
    }

    /**
     * Threads of its own for an application with Reactor Netty, so that it may end before others: to stop those that all share
     * waits for ever at times. After a test there is nothing left to wait for.
     */
    public static ReactorResourceFactory ownThreads() {
        ReactorResourceFactory resources = new ReactorResourceFactory();
        resources.setUseGlobalResources(false);
        resources.setShutdownQuietPeriod(Duration.ZERO);
        return resources;
    }
}
