package io.ratelimit.spring.internal.rule;

import io.ratelimit.spring.MessageCode;
import io.ratelimit.spring.RequestView;
import io.ratelimit.spring.internal.Warning;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A parsed {@code key}, which names the subject of a call. It always names one: a key that fails or resolves to nothing
 * counts the client's address, or outside a web request all calls together. Only that of a level may name none.
 * Thread-safe.
 *
 * <p>A subject begins with its kind, such as {@code principal:alice} or {@code header:x-api-key:alice}, so that no value
 * that a client chooses is counted as another kind of subject.
 */
public final class SubjectKey {

    /** The subject of all calls together. */
    public static final String EVERYBODY = "global";

    private static final String ADDRESS = "ip";

    private static final String PATH = "path:";

    /** A resolver that reads a security context before authentication fails or finds no principal. */
    private static final Map<String, String> HINTS = Map.of(
            "value",
            ". A KeyResolver that reads who is authenticated asks request.principal(), or overrides needsPrincipal()");

    private final String text;
    private final String kind;
    private final boolean needsRequest;
    private final boolean needsPrincipal;
    private final Function<Call, @Nullable String> value;
    private final String where;
    private final boolean ofLevel;
    private final Warning noLevel = new Warning(MessageCode.LEVELS_WITHOUT_SUBJECT);
    private final Warning noRequest = new Warning(MessageCode.KEY_WITHOUT_REQUEST);
    private final Warning failure = new Warning(MessageCode.KEY_FAILED);

    /**
     * @param kind prefix of the subject, so that subjects of different keys never collide
     * @param where the route or annotated method that has the key, for warnings
     */
    SubjectKey(String text, String kind, boolean needsPrincipal, Function<Call, @Nullable String> value, String where) {
        this(text, kind, !text.equals(EVERYBODY), needsPrincipal, value, where, false);
    }

    private SubjectKey(
            String text,
            String kind,
            boolean needsRequest,
            boolean needsPrincipal,
            Function<Call, @Nullable String> value,
            String where,
            boolean ofLevel) {
        this.text = text;
        this.kind = kind;
        this.needsRequest = needsRequest;
        this.needsPrincipal = needsPrincipal;
        this.value = value;
        this.where = where;
        this.ofLevel = ofLevel;
    }

    /** A key of an expression, which may name nothing of a request. */
    static SubjectKey ofExpression(
            String text,
            boolean needsRequest,
            boolean needsPrincipal,
            Function<Call, @Nullable String> value,
            String where) {
        return new SubjectKey(text, "value", needsRequest, needsPrincipal, value, where, false);
    }

    /** A key of one value of the request; outside a request there is none. */
    static SubjectKey ofRequest(
            String text,
            String kind,
            boolean needsPrincipal,
            Function<RequestView, @Nullable String> value,
            String where) {
        return new SubjectKey(
                text, kind, needsPrincipal, call -> call.request() == null ? null : value.apply(call.request()), where);
    }

    /** A key of a variable in the path of the route that matches. */
    static SubjectKey ofPath(String text, String variable, String where) {
        return new SubjectKey(text, PATH + variable, false, call -> call.pathVariable(variable), where);
    }

    static SubjectKey everybody(String where) {
        return new SubjectKey(EVERYBODY, EVERYBODY, false, call -> "", where);
    }

    static SubjectKey address(String where) {
        return new SubjectKey(ADDRESS, ADDRESS, false, call -> null, where);
    }

    /** Returns the subject of the client's address. */
    static String addressOf(RequestView request) {
        return ADDRESS + ":" + request.clientAddress();
    }

    /** Returns the key of the client's address, in the same place. */
    public SubjectKey byAddress() {
        return address(where);
    }

    /** Returns the same key, for a route that has none of its own. */
    public SubjectKey usedBy(String route) {
        return new SubjectKey(text, kind, needsRequest, needsPrincipal, value, route, false);
    }

    /** Returns the same key, for a level of a route. */
    SubjectKey ofLevel() {
        return new SubjectKey(text, kind, needsRequest, needsPrincipal, value, where, true);
    }

    /**
     * Returns the subject; null if the key is a level's, and the call has not the value that it names.
     *
     * @throws NotKnownException if the key reads what is not known, such as the principal before authentication
     */
    public @Nullable String subject(Call call) {
        return ofLevel ? subjectOfLevel(call) : subject(call, () -> {});
    }

    private @Nullable String subjectOfLevel(Call call) {
        AtomicBoolean failed = new AtomicBoolean();
        AtomicBoolean absent = new AtomicBoolean();
        String subject = subject(call, () -> absent.set(!failed.get()), () -> failed.set(true));
        if (absent.get()) {
            call.explain("does not apply: key '{}' finds nothing", text);
            return null;
        }
        return subject;
    }

    /** Logs at WARN the first time that no level of a route names a subject. */
    void warnOfNoLevel(Call call) {
        call.warn(
                noLevel,
                "{}: no level names a subject for the call, so that it is not limited. Add one whose key always does, such as ip",
                where);
    }

    /**
     * Returns the subject.
     *
     * @param unresolved is run if the call has not the value that the key names, so that something else is counted
     */
    public String subject(Call call, Runnable unresolved) {
        return subject(call, unresolved, () -> {});
    }

    private String subject(Call call, Runnable unresolved, Runnable failed) {
        if (text.equals(EVERYBODY)) {
            return EVERYBODY;
        }
        String found = found(call, failed);
        if (found != null && !found.isBlank()) {
            return kind + ":" + found;
        }
        if (!text.equals(ADDRESS) && !text.equals("caller")) {
            unresolved.run();
        }
        if (call.request() != null) {
            return addressOf(call.request());
        }
        if (!text.equals("caller") && !kind.equals("value")) { // the others are of a request, and nothing else
            call.warn(
                    noRequest,
                    "{}: key '{}' finds no web request on this thread, so that all such calls are counted together",
                    where,
                    text);
        }
        return EVERYBODY;
    }

    /** Returns the path variable that it counts; null if it counts something else. */
    @Nullable
    String pathVariable() {
        return kind.startsWith(PATH) ? kind.substring(PATH.length()) : null;
    }

    /** True if it is a level's, which a call without a subject skips. */
    boolean isOfLevel() {
        return ofLevel;
    }

    /** Returns the key as it was written. */
    public String text() {
        return text;
    }

    /** True if it counts a value of the request, or the client's address. */
    public boolean needsRequest() {
        return needsRequest;
    }

    /** True if it is known before any call that the key needs the principal. */
    public boolean needsPrincipal() {
        return needsPrincipal;
    }

    private @Nullable String found(Call call, Runnable onFailure) {
        try {
            return value.apply(call);
        } catch (NotKnownException unknown) {
            throw unknown;
        } catch (Exception failed) { // resolvers in Kotlin and Groovy throw checked ones, too
            if (ofLevel
                    && needsPrincipal
                    && SubjectKeyParser.mayReadPrincipal(text)
                    && call.request() != null
                    && call.request().principal() == null) {
                return null; // a property of nobody
            }
            onFailure.run();
            call.warn(
                    failure,
                    "{}: key '{}' failed, {}: {}{}",
                    where,
                    text,
                    call.request() == null ? "all such calls are counted together" : "the client's address is counted",
                    FailureReason.of(failed),
                    HINTS.getOrDefault(kind, ""));
            return null;
        }
    }
}
