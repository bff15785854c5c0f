package io.ratelimit.lab.kit;

import java.net.http.HttpHeaders;
import java.util.ArrayList;
import java.util.List;
import org.greenbytes.http.sfv.Dictionary;
import org.greenbytes.http.sfv.IntegerItem;
import org.greenbytes.http.sfv.ListElement;
import org.greenbytes.http.sfv.Parser;
import org.greenbytes.http.sfv.StringItem;

/**
 * Reads rate limit headers in every spelling that is in use: lists of strings (draft-ietf-httpapi-ratelimit-headers-08
 * to -11), a dictionary (draft-07), {@code RateLimit-Limit} and its like (to draft-06), and {@code X-RateLimit-*}.
 */
final class HeaderCheck {

    private static final List<String> NUMBERS = List.of(
            "RateLimit-Limit",
            "RateLimit-Remaining",
            "RateLimit-Reset",
            "X-RateLimit-Limit",
            "X-RateLimit-Remaining",
            "X-RateLimit-Reset");

    private final List<String> spellings = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();

    private HeaderCheck() {}

    static HeaderCheck of(HttpHeaders headers) {
        HeaderCheck check = new HeaderCheck();
        check.list(headers, "RateLimit-Policy", "q");
        check.list(headers, "RateLimit", "r");
        NUMBERS.forEach(name -> check.number(headers, name));
        return check;
    }

    /** The headers that were there, each with its spelling. */
    List<String> spellings() {
        return spellings;
    }

    List<String> errors() {
        return errors;
    }

    private void list(HttpHeaders headers, String name, String parameter) {
        List<String> values = headers.allValues(name);
        if (values.isEmpty()) {
            return;
        }
        try {
            if (name.equals("RateLimit") && values.get(0).startsWith("limit=")) {
                dictionary(values);
                return;
            }
            spellings.add(name + " (RFC 9651 list)");
            for (ListElement<?> element : new Parser(values).parseList().get()) {
                boolean named = element instanceof StringItem;
                boolean counted = element.getParams().get(parameter) instanceof IntegerItem;
                if (!named || !counted) {
                    errors.add("%s: '%s' is not a string with an integer '%s'"
                            .formatted(name, element.serialize(), parameter));
                }
            }
        } catch (IllegalArgumentException invalid) {
            errors.add("%s: '%s' is not valid by RFC 9651: %s"
                    .formatted(name, String.join(", ", values), invalid.getMessage()));
        }
    }

    private void dictionary(List<String> values) {
        spellings.add("RateLimit (draft-07 dictionary)");
        Dictionary members = new Parser(values).parseDictionary();
        for (String key : List.of("limit", "remaining", "reset")) {
            if (!(members.get().get(key) instanceof IntegerItem)) {
                errors.add("RateLimit: no integer '%s'".formatted(key));
            }
        }
    }

    private void number(HttpHeaders headers, String name) {
        headers.firstValue(name).ifPresent(value -> {
            spellings.add(name);
            if (!value.matches("\\d+(,.*)?")) {
                errors.add("%s: '%s' is not a number".formatted(name, value));
            }
        });
    }
}
