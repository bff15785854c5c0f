package io.ratelimit.benchmarks;

import java.util.List;

/** One bar for each reading, as long as its median; a thin line over it reaches from its lowest to its highest. */
public record BarChart(String title, List<Reading> readings) implements Chart {

    private static final int WIDTH = 860;
    private static final int LEFT = 270;
    private static final int LONGEST = 360;
    private static final int BAR = 20;
    private static final int STEP = 32;
    private static final int TOP = 48;

    @Override
    public String svg() {
        double most = readings.stream().mapToDouble(Reading::high).max().orElseThrow();
        Svg svg = new Svg().title(12, 26, title);
        for (int i = 0; i < readings.size(); i++) {
            bar(svg, readings.get(i), TOP + i * STEP, LONGEST / most);
        }
        return svg.document(WIDTH, TOP + readings.size() * STEP + 8);
    }

    private static void bar(Svg svg, Reading reading, int y, double scale) {
        boolean own = reading.name().startsWith(OwnLimiter.NAME);
        double middle = y + BAR / 2.0;
        svg.text(LEFT - 10, middle + 5, "end", reading.name());
        svg.rect(LEFT, y, Math.max(1, reading.median() * scale), BAR, own ? Svg.OWN_COLOR : Svg.PEER_COLOR);
        svg.line(LEFT + reading.low() * scale, middle, LEFT + reading.high() * scale, middle, "#24292f");
        svg.text(
                LEFT + reading.high() * scale + 8,
                middle + 5,
                "start",
                reading.unit().text(reading.median()));
    }
}
