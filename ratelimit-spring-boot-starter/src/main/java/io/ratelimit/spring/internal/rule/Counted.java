package io.ratelimit.spring.internal.rule;

import io.ratelimit.Limit;
import io.ratelimit.spring.InvalidRateLimitException;
import io.ratelimit.spring.MessageCode;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Tells which calls count when they have ended: all, those that fail, or those with a status or an exception of a
 * list, or with none of it. Immutable and thread-safe.
 */
public final class Counted {

    /** Every call that is admitted. */
    public static final Counted ALL = new Counted(List.of(), List.of());

    private static final Pattern STATUS = Pattern.compile("[1-5]\\d\\d");

    private static final Pattern STATUS_CLASS = Pattern.compile("[1-5]xx", Pattern.CASE_INSENSITIVE);

    private static final String NOT = "!";

    /** A simple or qualified name of a class; not one in capitals, which are those of statuses. */
    private static final Pattern TYPE = Pattern.compile("([a-z_][\\w$]*\\.)*(?![A-Z_]+$)[A-Z][\\w$]*");

    private final List<Predicate<Ending>> any;
    private final List<Predicate<Ending>> none;

    private Counted(List<Predicate<Ending>> any, List<Predicate<Ending>> none) {
        this.any = any;
        this.none = none;
    }

    /**
     * Parses {@code all}, {@code failures}, or a list of statuses, their classes such as {@code 5xx}, and names of
     * exceptions. One after {@code !} does not count, whatever else it is; with no others all the rest counts.
     *
     * @param where the property or annotated method that has it
     * @throws InvalidRateLimitException if a text is none of these
     */
    public static Counted parse(List<String> texts, String where) {
        if (texts.isEmpty() || (texts.size() == 1 && texts.get(0).equalsIgnoreCase("all"))) {
            return ALL;
        }
        return new Counted(
                texts.stream()
                        .filter(text -> !text.startsWith(NOT))
                        .map(text -> one(text, text, where))
                        .toList(),
                texts.stream()
                        .filter(text -> text.startsWith(NOT))
                        .map(text -> one(text.substring(NOT.length()), text, where))
                        .toList());
    }

    /**
     * Checks that there is something to give back if a call does not count.
     *
     * @throws InvalidRateLimitException if there is not
     */
    public void checkFits(Limit limit, String where) {
        if (!isAll()) {
            Settling.checkCorrectsOneOf(List.of(limit), where);
        }
    }

    /**
     * Returns the limit with a ban that counts what this counts: failures if that is a list of what counts, else refusals,
     * because then calls that succeed count, too.
     */
    public Limit banned(Limit limit) {
        return limit.ban()
                .map(ban -> !any.isEmpty() && limit.algorithm().countsCosts()
                        ? limit.banningFailures()
                        : limit.banningRefusals())
                .orElse(limit);
    }

    private static Predicate<Ending> one(String text, String written, String where) {
        if (text.toLowerCase(Locale.ROOT).equals("failures")) {
            return Ending::failed;
        }
        if (STATUS.matcher(text).matches()) {
            int status = Integer.parseInt(text);
            return ending -> ending.hasStatus(status);
        }
        if (STATUS_CLASS.matcher(text).matches()) {
            int hundreds = text.charAt(0) - '0';
            return ending -> ending.hasStatusClass(hundreds);
        }
        if (TYPE.matcher(text).matches()) {
            return ending -> ending.hasFailure(text);
        }
        throw new InvalidRateLimitException(
                MessageCode.SETTING_INVALID,
                where,
                "count '%s' is unknown: use failures, statuses such as 401 or 5xx, names of exceptions such as BadCredentialsException, one of these after ! for what does not count, or all alone"
                        .formatted(written));
    }

    /** True if every call counts. */
    public boolean isAll() {
        return any.isEmpty() && none.isEmpty();
    }

    /** True if a call that ended so counts. A call that was cut off before its answer was known counts in any case. */
    boolean counts(Ending ending) {
        return ending.isUnknown()
                || ((any.isEmpty() || any.stream().anyMatch(one -> one.test(ending)))
                        && none.stream().noneMatch(one -> one.test(ending)));
    }
}
