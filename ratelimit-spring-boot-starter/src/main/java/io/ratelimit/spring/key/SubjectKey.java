package io.ratelimit.spring.key;

import io.ratelimit.spring.RequestView;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A parsed {@code key}: names the subject of a call. Never fails and never names nobody: a key that resolves to nothing
 * counts the client's address, outside a web request everybody together. Thread-safe.
 *
 * <p>A subject begins with its kind, such as {@code principal:alice} or {@code header:x-api-key:alice}, so that no value
 * that a client chooses is counted as another kind of subject.
 */
public final class SubjectKey {

    private static final String EVERYBODY = "global";

    /** A resolver that reads a security context before authentication fails, or finds nobody. */
    private static final Map<String, String> HINTS = Map.of(
            "value",
            ". A KeyResolver that reads who is authenticated asks request.principal(), or overrides needsPrincipal()");

    private final String text;
    private final String kind;
    private final boolean needsPrincipal;
    private final Function<Call, @Nullable String> value;
    private final WarnOnce noRequest = new WarnOnce(LoggerFactory.getLogger(SubjectKey.class));
    private final WarnOnce failure = new WarnOnce(LoggerFactory.getLogger(SubjectKey.class));

    /** @param kind what the subject begins with, and what tells it from subjects of other keys */
    SubjectKey(String text, String kind, boolean needsPrincipal, Function<Call, @Nullable String> value) {
        this.text = text;
        this.kind = kind;
        this.needsPrincipal = needsPrincipal;
        this.value = value;
    }

    /** A key of one value of the request; outside a request there is none. */
    static SubjectKey ofRequest(
            String text, String kind, boolean needsPrincipal, Function<RequestView, @Nullable String> value) {
        return new SubjectKey(
                text, kind, needsPrincipal, call -> call.request() == null ? null : value.apply(call.request()));
    }

    static SubjectKey everybody() {
        return new SubjectKey(EVERYBODY, EVERYBODY, false, call -> "");
    }

    /** The client's address. */
    public static SubjectKey address() {
        return new SubjectKey("ip", "ip", false, call -> null);
    }

    /**
     * The subject.
     *
     * @throws NotAuthenticatedYetException if the key asks for the principal before it is known
     */
    public String subject(Call call) {
        if (text.equals(EVERYBODY)) {
            return EVERYBODY;
        }
        String found = found(call);
        if (found != null && !found.isBlank()) {
            return kind + ":" + found;
        }
        if (call.request() != null) {
            return "ip:" + call.request().clientAddress();
        }
        if (!text.equals("caller") && !kind.equals("value")) { // the others are of a request, and nothing else
            noRequest.log("key '{}' finds no web request on this thread, so that everybody is counted together", text);
        }
        return EVERYBODY;
    }

    /** The key as it was written. */
    public String text() {
        return text;
    }

    /** Whether it is known before any call that the key asks for the principal. */
    public boolean needsPrincipal() {
        return needsPrincipal;
    }

    private @Nullable String found(Call call) {
        try {
            return value.apply(call);
        } catch (NotAuthenticatedYetException early) {
            throw early;
        } catch (RuntimeException failed) {
            // of the failure only its type: its message may quote the value that led to it
            failure.log(
                    "key '{}' failed with {}, the client's address is counted{}",
                    text,
                    failed.getClass().getName(),
                    HINTS.getOrDefault(kind, ""));
            return null;
        }
    }
}
