package io.ratelimit.spring.client;

import feign.Capability;
import feign.Feign;
import feign.RequestLine;
import feign.Response;
import java.time.Duration;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.web.client.RestTemplateBuilder;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;

/** The kinds of clients that Spring Boot's builders make, and Feign. */
enum Client {
    REST_CLIENT {
        @Override
        int get(BeanFactory beans, String url) {
            return beans.getBean(RestClient.Builder.class)
                    .build()
                    .get()
                    .uri(url)
                    .exchange((request, response) -> response.getStatusCode().value());
        }
    },
    REST_TEMPLATE {
        @Override
        int get(BeanFactory beans, String url) {
            RestTemplate template = beans.getBean(RestTemplateBuilder.class).build();
            template.setErrorHandler(response -> false);
            return template.getForEntity(url, Void.class).getStatusCode().value();
        }
    },
    WEB_CLIENT {
        @Override
        int get(BeanFactory beans, String url) {
            return beans.getBean(WebClient.Builder.class)
                    .build()
                    .get()
                    .uri(url)
                    .retrieve()
                    .onStatus(status -> true, response -> reactor.core.publisher.Mono.empty())
                    .toBodilessEntity()
                    .block(Duration.ofMinutes(1))
                    .getStatusCode()
                    .value();
        }
    },
    FEIGN {
        @Override
        int get(BeanFactory beans, String url) {
            try (Response response = feign(beans).target(Partner.class, url).get()) {
                return response.status();
            }
        }
    };

    /** Returns a builder of Feign with what the application adds to its clients. */
    static Feign.Builder feign(BeanFactory beans) {
        Feign.Builder builder = Feign.builder();
        beans.getBeanProvider(Capability.class).forEach(builder::addCapability);
        return builder;
    }

    interface Partner {
        @RequestLine("GET /")
        Response get();

        @RequestLine("GET /a|b?c=[d]")
        Response unusual();

        /** Fails by what the error decoder makes of the response. */
        @RequestLine("GET /")
        String fail();
    }

    /** Returns the status of the response. */
    abstract int get(BeanFactory beans, String url);
}
