// Draws behind a chart what is not data: edges of windows, the window that slides, and who decided.

import { unanswered } from "playground/run.js";

const WORDS = { local: "each instance decides", none: "nobody decides", failed: "503" };

const LINE = 13; // of the words above the plot: who decided, and below it the window

/** Room above the plot for words, so that they cover no dots. */
export const WORDS_HEIGHT = 2 * LINE + 2;

function band(chart, from, to, fill, above) {
  const { ctx, chartArea, scales } = chart;
  const left = Math.max(chartArea.left, scales.x.getPixelForValue(from));
  const right = Math.min(chartArea.right, scales.x.getPixelForValue(to));
  if (right <= left) return;
  ctx.fillStyle = fill;
  ctx.fillRect(left, chartArea.top - above, right - left, chartArea.bottom - chartArea.top + above);
}

function edge(chart, at, colour, above) {
  const { ctx, chartArea, scales } = chart;
  const x = Math.round(scales.x.getPixelForValue(at)) + 0.5;
  ctx.strokeStyle = colour;
  ctx.setLineDash([4, 4]);
  ctx.beginPath();
  ctx.moveTo(x, chartArea.top - above);
  ctx.lineTo(x, chartArea.bottom);
  ctx.stroke();
  ctx.setLineDash([]);
}

function write(chart, at, text, colour, line) {
  const { ctx, chartArea, scales } = chart;
  ctx.fillStyle = colour;
  const left = Math.min(scales.x.getPixelForValue(at) + 3, chartArea.right - ctx.measureText(text).width);
  ctx.fillText(text, left, chartArea.top - 4 - line * LINE);
}

/**
 * Spans of time in which the store did not decide: each until the store's next decision, or until now if there is none.
 * What two instances see a moment apart is one span.
 */
export function outages(decisions, now) {
  const spans = [];
  for (const decision of [...decisions].sort((a, b) => a.t - b.t)) {
    const { t } = decision;
    const who = unanswered(decision);
    const span = spans.at(-1);
    if (!who) {
      if (span?.open) Object.assign(span, { to: t, open: false });
    } else if (span && span.who === who && (span.open || t - span.to < 1)) {
      span.open = true;
    } else {
      if (span?.open) Object.assign(span, { to: t, open: false });
      spans.push({ who, from: t, to: t, open: true });
    }
  }
  return spans.map(({ who, from, to, open }) => ({ who, from, to: open ? Math.max(now, from) : to }));
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
      band(chart, Math.max(0, to - run.settings.window), to, colours.window, LINE + 2);
      write(chart, Math.max(0, to - run.settings.window), `the last ${run.settings.window} s`, colours.muted, 0);
    } else if (lane.algorithm !== "token-bucket") {
      for (let at = run.edge; at <= run.seconds; at += run.settings.window) {
        edge(chart, at, colours.edge, LINE + 2);
        if (at === run.edge) write(chart, at, "edge", colours.muted, 0);
      }
    }
    for (const { who, from, to } of outages([...lane.decisions, ...lane.levels.filter(({ by }) => by)], Math.min(now, run.seconds))) {
      band(chart, from, to, colours.outage, WORDS_HEIGHT);
      // one slow answer is a line; its dot says who decided
      if (to - from > 1) write(chart, from, WORDS[who], colours.text, 1);
    }
    ctx.restore();
  },
};
