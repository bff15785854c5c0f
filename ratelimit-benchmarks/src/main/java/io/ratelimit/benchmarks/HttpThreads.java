package io.ratelimit.benchmarks;

/** The threads that serve requests. */
enum HttpThreads {
    PLATFORM("http-platform", "HTTP over Redis"),
    VIRTUAL("http-virtual", "HTTP over Redis, virtual threads");

    final String id;
    final String title;

    HttpThreads(String id, String title) {
        this.id = id;
        this.title = title;
    }

    String property() {
        return "spring.threads.virtual.enabled=" + (this == VIRTUAL);
    }

    boolean areHere() {
        return this == PLATFORM || Threads.haveVirtual();
    }
}
