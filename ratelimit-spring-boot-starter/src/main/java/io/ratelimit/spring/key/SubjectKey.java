package io.ratelimit.spring.key;

import io.ratelimit.spring.RequestView;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A parsed {@code key}: names the subject of a call. Never fails and never names nobody: a key that resolves to nothing
 * counts the client's address, outside a web request everybody together. Thread-safe.
 *
 * <p>Addresses go in as {@code ip:...}, and a value that begins like that, or names everybody, gets a mark, so that
 * nobody can send a header that charges somebody else's address or the bucket of all.
 */
public final class SubjectKey {

    private static final String EVERYBODY = "global";
    private static final String ADDRESS_MARK = "ip:";
    private static final String VALUE_MARK = "value:";

    private final String text;
    private final boolean needsPrincipal;
    private final Function<Call, @Nullable String> value;
    private final WarnOnce failure = new WarnOnce(LoggerFactory.getLogger(SubjectKey.class));

    SubjectKey(String text, boolean needsPrincipal, Function<Call, @Nullable String> value) {
        this.text = text;
        this.needsPrincipal = needsPrincipal;
        this.value = value;
    }

    /** A key of one value of the request; outside a request there is none. */
    static SubjectKey ofRequest(String text, boolean needsPrincipal, Function<RequestView, @Nullable String> value) {
        return new SubjectKey(
                text, needsPrincipal, call -> call.request() == null ? null : value.apply(call.request()));
    }

    static SubjectKey everybody() {
        return new SubjectKey(EVERYBODY, false, call -> EVERYBODY);
    }

    public String subject(Call call) {
        String found = found(call);
        if (found == null || found.isBlank()) {
            return call.request() == null
                    ? EVERYBODY
                    : ADDRESS_MARK + call.request().clientAddress();
        }
        return isReserved(found) ? VALUE_MARK + found : found;
    }

    /** Whether the subject is only known after authentication. */
    public boolean needsPrincipal() {
        return needsPrincipal;
    }

    private boolean isReserved(String found) {
        boolean everybody = found.equals(EVERYBODY) && !text.equals(EVERYBODY);
        return everybody || found.startsWith(ADDRESS_MARK) || found.startsWith(VALUE_MARK);
    }

    private @Nullable String found(Call call) {
        try {
            return value.apply(call);
        } catch (RuntimeException failed) {
            // of the failure only its type: its message may quote the value that led to it
            failure.log(
                    "key '{}' failed with {}, the client's address is counted",
                    text,
                    failed.getClass().getName());
            return null;
        }
    }
}
