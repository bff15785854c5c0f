package io.ratelimit.benchmarks;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** What one percentage costs in another: both axes are linear, begin at 0 and end at a multiple of 20. */
public record CurveChart(String title, String across, String upwards, List<Curve> curves) implements Chart {

    private static final int WIDTH = 860;
    private static final int HEIGHT = 380;
    private static final int LEFT = 90;
    private static final int BOTTOM = 310;
    private static final int TALLEST = 220;
    private static final int LONGEST = 700;
    private static final String INK = "#24292f";
    private static final List<String> COLORS = List.of(Svg.OWN_COLOR, "#bf8700", Svg.PEER_COLOR);

    /** Points in the order in which they are connected. */
    public record Curve(String name, List<Point> points) {}

    /**
     * A point of a curve.
     *
     * @param label what leads to this point, or nothing
     */
    public record Point(String label, double across, Reading upwards) {}

    @Override
    public String svg() {
        double widest = most(Point::across);
        double highest = most(point -> point.upwards.high());
        Svg svg = new Svg().title(12, 26, title);
        svg.line(LEFT, BOTTOM, LEFT + LONGEST, BOTTOM, INK).line(LEFT, BOTTOM, LEFT, BOTTOM - TALLEST, INK);
        svg.text(LEFT + LONGEST / 2.0, BOTTOM + 48, "middle", across);
        svg.text(12, BOTTOM - TALLEST - 14, "start", upwards);
        for (int part = 0; part <= 4; part++) {
            svg.text(LEFT + LONGEST * part / 4.0, BOTTOM + 20, "middle", "%.0f".formatted(widest * part / 4));
            svg.text(LEFT - 8, BOTTOM - TALLEST * part / 4.0 + 5, "end", "%.0f".formatted(highest * part / 4));
        }
        for (int i = 0; i < curves.size(); i++) {
            String color = COLORS.get(i % COLORS.size());
            svg.rect(LEFT + 120 + i * 230, 40, 12, 12, color);
            svg.text(LEFT + 120 + i * 230 + 18, 51, "start", curves.get(i).name);
            draw(svg, curves.get(i).points, color, LONGEST / widest, TALLEST / highest);
        }
        return svg.document(WIDTH, HEIGHT);
    }

    private double most(ToDoubleFunction<Point> number) {
        double most = curves.stream()
                .flatMap(curve -> curve.points.stream())
                .mapToDouble(number)
                .max()
                .orElseThrow();
        return Math.max(20, Math.ceil(most / 20) * 20);
    }

    private static void draw(Svg svg, List<Point> points, String color, double wide, double tall) {
        for (int i = 0; i < points.size(); i++) {
            Point point = points.get(i);
            double x = LEFT + point.across * wide;
            double y = BOTTOM - point.upwards.median() * tall;
            svg.dot(x, y, color);
            svg.line(x, BOTTOM - point.upwards.low() * tall, x, BOTTOM - point.upwards.high() * tall, color);
            svg.text(x - 8, y - 6, "end", point.label);
            if (i > 0) {
                Point before = points.get(i - 1);
                svg.line(LEFT + before.across * wide, BOTTOM - before.upwards.median() * tall, x, y, color);
            }
        }
    }
}
