// Draws behind a chart what is not data: edges of windows, the window that slides, and who decided.

const WORDS = { local: "each instance decides", none: "nobody decides", failed: "503" };

function band(chart, from, to, fill) {
  const { ctx, chartArea, scales } = chart;
  const left = Math.max(chartArea.left, scales.x.getPixelForValue(from));
  const right = Math.min(chartArea.right, scales.x.getPixelForValue(to));
  if (right <= left) return;
  ctx.fillStyle = fill;
  ctx.fillRect(left, chartArea.top, right - left, chartArea.bottom - chartArea.top);
}

function edge(chart, at, colour) {
  const { ctx, chartArea, scales } = chart;
  const x = Math.round(scales.x.getPixelForValue(at)) + 0.5;
  ctx.strokeStyle = colour;
  ctx.setLineDash([4, 4]);
  ctx.beginPath();
  ctx.moveTo(x, chartArea.top);
  ctx.lineTo(x, chartArea.bottom);
  ctx.stroke();
  ctx.setLineDash([]);
}

function write(chart, at, text, colour, below = 0) {
  const { ctx, chartArea, scales } = chart;
  ctx.fillStyle = colour;
  const left = Math.min(scales.x.getPixelForValue(at) + 4, chartArea.right - ctx.measureText(text).width);
  ctx.fillText(text, left, chartArea.top + 10 + below);
}

/** Spans of time in which another than the store decided; what two instances see a moment apart is one span. */
export function outages(decisions) {
  const spans = [];
  for (const { t, kind, by } of decisions) {
    const who = kind === "failed" ? "failed" : by;
    if (who === "store") continue;
    const span = spans.findLast((earlier) => earlier.who === who);
    if (span && t - span.to < 1) span.to = Math.max(span.to, t);
    else spans.push({ who, from: t, to: t + 0.1 });
  }
  return spans;
}

export const marks = {
  id: "marks",
  beforeDatasetsDraw(chart, _args, { run, lane, now, colours }) {
    if (!run) return;
    const { ctx } = chart;
    ctx.save();
    ctx.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    if (lane.algorithm === "sliding-window-log") {
      const to = Math.min(now, run.seconds);
      band(chart, Math.max(0, to - run.settings.window), to, colours.window);
      write(chart, Math.max(0, to - run.settings.window), `the last ${run.settings.window} s`, colours.muted);
    } else if (lane.algorithm !== "token-bucket") {
      for (let at = run.edge; at <= run.seconds; at += run.settings.window) {
        edge(chart, at, colours.edge);
        if (at === run.edge) write(chart, at, "edge", colours.muted, chart.scales.level.top - chart.chartArea.top + 2);
      }
    }
    for (const { who, from, to } of outages(lane.decisions)) {
      band(chart, from, to, colours.outage);
      // one slow answer is a line; its dot says who decided
      const width = chart.scales.x.getPixelForValue(to) - chart.scales.x.getPixelForValue(from);
      if (width > ctx.measureText(WORDS[who]).width / 2) write(chart, from, WORDS[who], colours.text, 13);
    }
    ctx.restore();
  },
};
