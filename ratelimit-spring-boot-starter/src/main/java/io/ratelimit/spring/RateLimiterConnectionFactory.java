package io.ratelimit.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Marks the connection factory whose Redis holds the counts, where an application has several.
 *
 * <pre>{@code
 * @Bean(defaultCandidate = false)
 * @RateLimiterConnectionFactory
 * LettuceConnectionFactory limits() { … }
 * }</pre>
 */
@Qualifier
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
public @interface RateLimiterConnectionFactory {}
