package io.ratelimit.spring.internal;

import java.util.Optional;

/** The version of this library, which its jar's manifest has. */
public final class LibraryVersion {

    private LibraryVersion() {}

    /** Returns the version, such as {@code 0.1.0}; empty where classes do not come from the jar, as in a native image. */
    public static Optional<String> find() {
        return Optional.ofNullable(LibraryVersion.class.getPackage().getImplementationVersion());
    }

    /** Returns a message of the start with the version behind it, if it is known. */
    public static String behind(String message) {
        return message + find().map(version -> " (ratelimit " + version + ")").orElse("");
    }
}
