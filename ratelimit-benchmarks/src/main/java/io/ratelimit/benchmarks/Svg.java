package io.ratelimit.benchmarks;

import java.util.Locale;

/** Writes the few shapes that charts are made of, dark ink on white or, where the reader prefers it, light on black. Not thread-safe. */
final class Svg {

    static final String OWN_COLOR = "#1f6feb";
    static final String PEER_COLOR = "#8b949e";
    private static final String INK = "#24292f";

    private final StringBuilder shapes = new StringBuilder();

    Svg rect(double x, double y, double width, double height, String color) {
        return add("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='%s'/>", x, y, width, height, color);
    }

    Svg line(double x1, double y1, double x2, double y2, String color) {
        return add(
                "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-width='1.5'/>",
                x1, y1, x2, y2, color);
    }

    Svg dot(double x, double y, String color) {
        return add("<circle cx='%.1f' cy='%.1f' r='3.5' fill='%s'/>", x, y, color);
    }

    /** @param anchor {@code start}, {@code middle} or {@code end} */
    Svg text(double x, double y, String anchor, String text) {
        return add("<text x='%.1f' y='%.1f' text-anchor='%s' fill='%s'>%s</text>", x, y, anchor, INK, escaped(text));
    }

    Svg title(double x, double y, String text) {
        return add("<text x='%.1f' y='%.1f' font-weight='bold' fill='%s'>%s</text>", x, y, INK, escaped(text));
    }

    String document(int width, int height) {
        return """
                <svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %1$d %2$d' width='%1$d' height='%2$d' \
                font-family='sans-serif' font-size='13'>
                <style>@media (prefers-color-scheme: dark) {
                [fill='#24292f'] { fill: #e6edf3 } [stroke='#24292f'] { stroke: #e6edf3 } [fill='#ffffff'] { fill: #0d1117 }
                }</style>
                <rect width='100%%' height='100%%' fill='#ffffff'/>
                %3$s</svg>
                """.formatted(width, height, shapes);
    }

    private Svg add(String format, Object... values) {
        shapes.append(String.format(Locale.ROOT, format, values)).append('\n');
        return this;
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("'", "&#39;");
    }
}
