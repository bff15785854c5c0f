package io.ratelimit.lab.kit;

import static io.ratelimit.lab.kit.Client.allowed;
import static io.ratelimit.lab.kit.Client.isAllowed;
import static io.ratelimit.lab.kit.Client.newSubject;

import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** What is checked of how much a limiter admits. Each check uses subjects of its own. */
final class Checks {

    /** How long before a boundary the first burst begins: a busy machine takes a second for it. */
    private static final long MOST_AHEAD_MILLIS = 2_000;

    private final KitOptions options;
    private final Client client;

    Checks(KitOptions options) {
        this.options = options;
        this.client = new Client(options);
    }

    List<Mark> run() {
        List<Mark> marks = new ArrayList<>();
        add(marks, "exact one after another", this::oneAfterAnother);
        add(marks, "exact at once", () -> atOnce("exact at once", List.of(options.url())));
        add(marks, "exact at two addresses", this::twoAddresses);
        add(marks, "exact around a boundary", this::boundary);
        add(marks, "weighted", this::weighted);
        marks.addAll(new AnswerChecks(options, client).run());
        add(marks, "subjects are apart", this::apart);
        add(marks, "hostile subjects", this::hostile);
        add(marks, "whole again after a pause", this::recovery);
        return marks;
    }

    static void add(List<Mark> marks, String name, Supplier<Mark> check) {
        try {
            marks.add(check.get());
        } catch (RuntimeException failed) {
            marks.add(Mark.of(name, false, failed.toString()));
        }
    }

    Mark oneAfterAnother() {
        long startNanos = System.nanoTime();
        long allowed = allowed(client.useUp(newSubject()));
        return within("exact one after another", allowed, startNanos);
    }

    Mark atOnce(String name, List<URI> urls) {
        long startNanos = System.nanoTime();
        return within(name, allowed(client.callAtOnce(2 * options.limit() + 2, newSubject(), urls)), startNanos);
    }

    Mark twoAddresses() {
        String name = "exact at two addresses";
        return options.second()
                .map(second -> atOnce(name, List.of(options.url(), second)))
                .orElseGet(() -> Mark.notPossible(name, "needs --second-url"));
    }

    /** The limit, and what came free while the calls were made. */
    private Mark within(String name, long allowed, long startNanos) {
        long nanos = System.nanoTime() - startNanos;
        long freed = options.limit() * nanos / options.window().toNanos() + 1;
        boolean exact = allowed >= options.limit() && allowed <= options.limit() + freed;
        boolean documented = allowed > options.limit() && allowed <= options.inAnyWindow();
        return Mark.of(
                name,
                exact || documented,
                "%d admitted of a limit of %d, within %d ms".formatted(allowed, options.limit(), nanos / 1_000_000));
    }

    Mark boundary() {
        long windowMillis = options.window().toMillis();
        long aheadMillis = Math.min(MOST_AHEAD_MILLIS, windowMillis / 4);
        String subject = newSubject();
        sleepMillis(windowMillis - (System.currentTimeMillis() + aheadMillis) % windowMillis);
        long startNanos = System.nanoTime();
        long before = allowed(client.callAtOnce(options.limit(), subject, List.of(options.url())));
        sleepMillis(windowMillis - System.currentTimeMillis() % windowMillis + 20);
        long after = allowed(client.callAtOnce(options.limit(), subject, List.of(options.url())));
        long millis = (System.nanoTime() - startNanos) / 1_000_000;
        String name = "exact around a boundary";
        if (millis >= windowMillis) {
            return Mark.notPossible(name, "the calls took longer than a window");
        }
        long freed = options.limit() * millis / windowMillis + 1;
        return Mark.of(
                name,
                before + after <= Math.max(options.inAnyWindow(), options.limit() + freed),
                "%d admitted before a boundary and %d after it, within %d ms; %d are allowed in any window"
                        .formatted(before, after, millis, options.inAnyWindow()));
    }

    Mark weighted() {
        Optional<URI> url = options.weighted();
        if (url.isEmpty()) {
            return Mark.notPossible("weighted", "needs --weighted-url and --weight");
        }
        String subject = newSubject();
        long startNanos = System.nanoTime();
        long calls = options.limit() / options.weight() + 2;
        long allowed = 0;
        for (long i = 0; i < calls; i++) {
            allowed += isAllowed(client.call(url.get(), subject)) ? 1 : 0;
        }
        long freed = options.limit()
                        * (System.nanoTime() - startNanos)
                        / options.window().toNanos()
                + 1;
        return Mark.of(
                "weighted",
                allowed >= options.limit() / options.weight() && allowed * options.weight() <= options.limit() + freed,
                "%d calls of cost %d admitted of a limit of %d".formatted(allowed, options.weight(), options.limit()));
    }

    Mark apart() {
        client.useUp(newSubject());
        HttpResponse<String> other = client.call(newSubject());
        return Mark.of(
                "subjects are apart",
                isAllowed(other),
                "after one subject was refused another got status %d".formatted(other.statusCode()));
    }

    /** Each in turn after a harmless one is used up: it must neither break the limiter nor spend another's limit. */
    Mark hostile() {
        String used = newSubject();
        client.useUp(used);
        List<String> wrong = new ArrayList<>();
        for (String text :
                List.of("{" + used + "}", used + ":x", used + "\"", used + "*", used + "%00", "'; --" + used)) {
            int status = client.call(text).statusCode();
            if (status / 100 == 5 || status == 429) {
                wrong.add("%d for one with '%s'".formatted(status, text.replace(used, "")));
            }
        }
        int status = client.call("x".repeat(4_000) + used).statusCode();
        if (status / 100 == 5) {
            wrong.add("%d for 4,000 characters".formatted(status));
        }
        return Mark.of(
                "hostile subjects",
                wrong.isEmpty(),
                wrong.isEmpty()
                        ? "braces, quotes, colons, stars, escapes and 4,000 characters did no harm"
                        : String.join(", ", wrong));
    }

    Mark recovery() {
        String subject = newSubject();
        client.useUp(subject);
        sleepMillis(options.untilWhole().toMillis() + 1_000);
        long startNanos = System.nanoTime();
        return within("whole again after a pause", allowed(client.useUp(subject)), startNanos);
    }

    static void sleepMillis(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
    }
}
