package io.ratelimit.spring.internal.rule;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;

/** Says why user code failed without quoting a value: the message of an exception may hold the subject that led to it. */
final class FailureReason {

    /** Messages that name types and parts of the expression, and no values. */
    private static final Set<SpelMessage> OF_TYPES = Set.of(
            SpelMessage.TYPE_CONVERSION_ERROR,
            SpelMessage.METHOD_NOT_FOUND,
            SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE,
            SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL,
            SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED,
            SpelMessage.CANNOT_INDEX_INTO_NULL_VALUE,
            SpelMessage.NOT_COMPARABLE,
            SpelMessage.OPERATOR_NOT_SUPPORTED_BETWEEN_TYPES);

    private static final List<String> LIBRARIES = List.of("java.", "jdk.", "sun.", "org.springframework.");

    private FailureReason() {}

    /** Returns what SpEL says of types, or else the exception's class and where the application threw it. */
    static String of(Throwable failure) {
        if (failure instanceof SpelEvaluationException spel && OF_TYPES.contains(spel.getMessageCode())) {
            return spel.getSimpleMessage();
        }
        return failure.getClass().getName()
                + Arrays.stream(failure.getStackTrace())
                        .filter(frame -> LIBRARIES.stream().noneMatch(frame.getClassName()::startsWith))
                        .findFirst()
                        .map(frame -> " at " + frame)
                        .orElse("");
    }
}
