package io.ratelimit.spring.aop;

import io.ratelimit.spring.rule.Rule;
import java.lang.reflect.Method;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the annotations of one method come to. Immutable and thread-safe.
 *
 * @param fallback what to call instead of a refused method
 */
record LimitedMethod(List<Rule> rules, @Nullable Method fallback) {}
