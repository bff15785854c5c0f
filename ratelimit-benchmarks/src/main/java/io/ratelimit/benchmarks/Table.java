package io.ratelimit.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Rows as a Markdown table whose columns also line up on a terminal. */
public final class Table {

    private Table() {}

    static String of(List<Row> rows) {
        return of(Row.HEADINGS, rows.stream().map(Row::cells).toList());
    }

    /** Every row has as many cells as there are headings. */
    public static String of(List<String> headings, List<List<String>> rows) {
        List<List<String>> lines = new ArrayList<>();
        lines.add(headings);
        lines.addAll(rows);
        int[] widths = IntStream.range(0, headings.size())
                .map(column -> lines.stream()
                        .mapToInt(line -> line.get(column).length())
                        .max()
                        .orElse(0))
                .toArray();
        List<String> text = new ArrayList<>();
        lines.forEach(line -> text.add(line(line, widths)));
        text.add(
                1,
                IntStream.of(widths)
                        .mapToObj(width -> "-".repeat(Math.max(3, width)))
                        .collect(joined()));
        return String.join("\n", text) + '\n';
    }

    private static String line(List<String> cells, int[] widths) {
        return IntStream.range(0, cells.size())
                .mapToObj(column -> padded(cells.get(column), Math.max(3, widths[column])))
                .collect(joined());
    }

    private static Collector<CharSequence, ?, String> joined() {
        return Collectors.joining(" | ", "| ", " |");
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(width - text.length());
    }
}
