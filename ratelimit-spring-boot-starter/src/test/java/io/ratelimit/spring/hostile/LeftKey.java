package io.ratelimit.spring.hostile;

/** A key by the documented grammar. */
record LeftKey(String subject, String limit) {

    private static final String ADDRESS_MARK = "ip:";

    boolean isAddress() {
        return subject.startsWith(ADDRESS_MARK);
    }

    String address() {
        return subject.substring(ADDRESS_MARK.length());
    }
}
