package io.ratelimit.internal.redis;

/** The operations of the store, each with the letters that stand for it in a request to {@code engine.lua}. */
enum Operation {
    ACQUIRE('A', 'B'),
    /** Acquires for a call that may wait, so a refusal does not count for a ban. */
    TRY('A', 'C'),
    PEEK('P', 'Q'),
    SETTLE('S', 'S'),
    FAIL('F', 'F'),
    BAN('X', 'X'),
    BLOCK('K', 'K');

    final char code;

    /** The letter if a limit has a ban. */
    final char codeWithBans;

    Operation(char code, char codeWithBans) {
        this.code = code;
        this.codeWithBans = codeWithBans;
    }

    /** Returns whether it changes states without deciding: bans have no part in it, and it is never merged. */
    boolean changesOnly() {
        return this == SETTLE || this == BLOCK;
    }
}
