package io.ratelimit.spring.autoconfigure;

import io.ratelimit.spring.MessageCode;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads what the page about a code says besides the message, so that a failed start needs no other place to look. */
final class MessagePage {

    private static final Pattern SECTION = Pattern.compile("(?ms)^## (Why|Cure)\n\n(.*?)\n*(?=^## |\\z)");
    private static final Pattern LINK_TO_DOCS = Pattern.compile("\\[([^]]*)]\\(\\.\\./([^)]*)\\)");
    private static final Pattern LINK = Pattern.compile("\\[([^]]*)]\\([^)]*\\)");

    private MessagePage() {}

    /** Returns why the mistake matters and what to do, with names of pages for links; empty without a page. */
    static String whyAndCure(MessageCode code) {
        String named = LINK_TO_DOCS.matcher(code.page()).replaceAll("$1 (docs/$2)");
        String page = LINK.matcher(named).replaceAll("$1");
        return SECTION.matcher(page)
                .results()
                .map(section -> "\n\n" + section.group(1) + ": " + section.group(2))
                .collect(Collectors.joining());
    }
}
