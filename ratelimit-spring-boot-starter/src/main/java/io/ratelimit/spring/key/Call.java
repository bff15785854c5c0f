package io.ratelimit.spring.key;

import io.ratelimit.spring.RequestView;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;

/** A call to be limited: the web request it came with, if any, and what its expressions see. */
public record Call(@Nullable RequestView request, EvaluationContext variables) {}
