package io.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The rows of the sections that answer a user's questions, with all peers of a row beside each other. */
final class Summary {

    private record Peer(String heading, List<String> names) {}

    /** @param what the row of the section */
    private record Question(String text, String section, String what) {}

    private static final List<Peer> PEERS = List.of(
            new Peer("a script, one EVALSHA each", List.of(PlainEvalsha.NAME, HttpContender.SCRIPT.text())),
            new Peer(
                    "Bucket4j",
                    List.of(Bucket4jRedis.BATCHING, Bucket4jRedis.DEFAULT, "Bucket4j local in a Caffeine cache")),
            new Peer("Redisson", List.of("Redisson RRateLimiter", "Redisson")),
            new Peer("Spring Cloud Gateway's script", List.of(GatewayScript.NAME)),
            new Peer("Resilience4j", List.of("Resilience4j registry")));

    private static final List<Question> QUESTIONS = List.of(
            new Question(
                    "How long does a lone caller wait, Redis 1 ms away?",
                    "network-1ms",
                    "one thread, one subject: median wait"),
            new Question("What do 32 threads get, of 10,000 users?", "many-blocking", "this library"),
            new Question("Of one user?", "network-loopback", "32 threads, one subject"),
            new Question("And 1,000 virtual threads?", "network-loopback", "1,000 virtual threads, one subject"),
            new Question("And requests over HTTP, 10,000 users?", "http-platform", "a route, 10,000 users: requests"),
            new Question(
                    "What does a limit add to a request's processor time?",
                    "http-platform",
                    "a route, 10,000 users: processor time added"),
            new Question(
                    "How long does a caller wait at most when Redis hangs for two seconds?", "outage", "longest wait"),
            new Question("Redis' time of a lone decision?", "redis-cpu", "one limit, batch of one"),
            new Question("Redis' memory of a user?", "redis-memory", "token-bucket"),
            new Question("A decision in memory?", "in-memory", "one thread, one subject"),
            new Question("Heap of a user in memory?", "heap", "this library"));

    private Summary() {}

    /** @param sections their texts by their names; a question whose section is not there is left out */
    static String of(Map<String, String> sections) {
        List<String> headings = Stream.concat(
                        Stream.of("", "this library"), PEERS.stream().map(Peer::heading))
                .toList();
        List<List<String>> rows = QUESTIONS.stream()
                .map(question -> row(question, rows(sections.getOrDefault(question.section, ""), question.what)))
                .flatMap(Optional::stream)
                .toList();
        return Table.of(headings, rows);
    }

    private static List<List<String>> rows(String section, String what) {
        return section.lines()
                .filter(line -> line.startsWith("| " + what + " "))
                .map(line ->
                        Arrays.stream(line.split("\\|", -1)).map(String::strip).toList())
                .filter(cells -> cells.get(1).equals(what))
                .toList();
    }

    /** A row of the table has an empty cell before its first bar. */
    private static Optional<List<String>> row(Question question, List<List<String>> rows) {
        if (rows.isEmpty()) {
            return Optional.empty();
        }
        List<String> cells = new ArrayList<>(List.of(median(rows.get(0).get(2))));
        for (Peer peer : PEERS) {
            cells.add(peer.names.stream()
                    .flatMap(name -> rows.stream().filter(row -> row.get(3).equals(name)))
                    .map(row -> median(row.get(4)))
                    .findFirst()
                    .orElse(""));
        }
        Function<String, Double> rank = cells.get(0).endsWith("/s") ? cell -> -number(cell) : Summary::number;
        double best = cells.stream()
                .filter(cell -> !cell.isEmpty())
                .map(rank)
                .min(Double::compare)
                .orElseThrow();
        cells.replaceAll(cell -> !cell.isEmpty() && rank.apply(cell) == best ? "**%s**".formatted(cell) : cell);
        cells.add(0, question.text);
        return Optional.of(cells);
    }

    private static String median(String reading) {
        return reading.replaceFirst(" \\(.*", "");
    }

    private static double number(String cell) {
        return Double.parseDouble(cell.replaceFirst(" .*", "").replace(",", ""));
    }
}
