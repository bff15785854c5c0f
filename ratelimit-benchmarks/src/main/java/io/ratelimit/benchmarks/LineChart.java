package io.ratelimit.benchmarks;

import java.util.List;

/** How readings grow with a size that grows by factors: one step to the right for each size. */
public record LineChart(String title, String sizeLabel, List<Line> lines) implements Chart {

    private static final int WIDTH = 860;
    private static final int HEIGHT = 360;
    private static final int LEFT = 90;
    private static final int BOTTOM = 300;
    private static final int TALLEST = 220;
    private static final int ACROSS = 700;
    private static final List<String> COLORS = List.of(Svg.OWN_COLOR, Svg.PEER_COLOR, "#bf8700", "#1a7f37");

    /** What was measured, and the reading at each size. */
    public record Line(String name, List<Integer> sizes, List<Reading> readings) {}

    @Override
    public String svg() {
        double most = lines.stream()
                .flatMap(line -> line.readings.stream())
                .mapToDouble(Reading::high)
                .max()
                .orElseThrow();
        Svg svg = new Svg().title(12, 26, title);
        axes(svg, most, lines.get(0));
        for (int i = 0; i < lines.size(); i++) {
            draw(svg, lines.get(i), TALLEST / most, COLORS.get(i % COLORS.size()));
            svg.rect(LEFT + i * 330, 42, 12, 12, COLORS.get(i % COLORS.size()));
            svg.text(LEFT + i * 330 + 18, 53, "start", lines.get(i).name);
        }
        return svg.document(WIDTH, HEIGHT);
    }

    private void axes(Svg svg, double most, Line line) {
        svg.line(LEFT, BOTTOM, LEFT + ACROSS, BOTTOM, "#24292f").line(LEFT, BOTTOM, LEFT, BOTTOM - TALLEST, "#24292f");
        svg.text(LEFT + ACROSS / 2.0, BOTTOM + 44, "middle", sizeLabel);
        svg.text(LEFT - 8, BOTTOM + 5, "end", "0");
        svg.text(
                LEFT - 8,
                BOTTOM - TALLEST + 5,
                "end",
                line.readings.get(0).unit().text(most));
        for (int i = 0; i < line.sizes.size(); i++) {
            svg.text(x(i, line), BOTTOM + 20, "middle", "%,d".formatted(line.sizes.get(i)));
        }
    }

    private static void draw(Svg svg, Line line, double scale, String color) {
        for (int i = 0; i < line.readings.size(); i++) {
            Reading reading = line.readings.get(i);
            double y = BOTTOM - reading.median() * scale;
            svg.dot(x(i, line), y, color);
            svg.line(x(i, line), BOTTOM - reading.low() * scale, x(i, line), BOTTOM - reading.high() * scale, color);
            if (i > 0) {
                svg.line(x(i - 1, line), BOTTOM - line.readings.get(i - 1).median() * scale, x(i, line), y, color);
            }
        }
    }

    private static double x(int index, Line line) {
        return LEFT + ACROSS * (index + 0.5) / line.sizes.size();
    }
}
