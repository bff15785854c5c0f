// One chart a lane: decisions as dots above, what is used of the limit or left in the bucket below.

import { dots, rows } from "playground/dots.js";
import { marks, WORDS_HEIGHT } from "playground/marks.js";

const { Chart } = globalThis;
const NAMES = ["text", "muted", "grid", "allowed", "refused", "area", "line", "edge", "window", "outage"];

export function colours() {
  const style = getComputedStyle(document.documentElement);
  const probe = Object.assign(document.createElement("i"), { className: "probe" }); // resolves light-dark()
  document.body.append(probe);
  const all = Object.fromEntries(
    NAMES.map((name) => {
      probe.style.color = style.getPropertyValue(`--${name}`);
      return [name, getComputedStyle(probe).color];
    }),
  );
  probe.remove();
  return all;
}

function dotSets(settings, c) {
  const high = rows(settings);
  const scale = high > 10 ? 0.75 : high > 4 ? 1 : 1.5;
  const set = (id, pointStyle, colour, filled, radius) => ({
    id, pointStyle, radius: radius * scale, yAxisID: "dots", data: [], showLine: false, borderWidth: 1.5,
    borderColor: colour, backgroundColor: filled ? colour : "transparent",
  });
  return [
    set("allowed0", "circle", c.allowed, true, 2),
    set("allowed1", "rect", c.allowed, true, 2.2),
    set("refused0", "crossRot", c.refused, false, 2.6),
    set("refused1", "cross", c.refused, false, 2.8),
    set("failed", "triangle", c.refused, true, 2.6),
    set("allowedOther", "circle", c.allowed, false, 2),
    set("refusedOther", "star", c.refused, false, 2.8),
    set("retries", "circle", c.text, false, 6),
  ];
}

function axes(run, lane, c) {
  const { settings } = run;
  const bucket = lane.algorithm === "token-bucket";
  const capacity = bucket && settings.burst ? settings.burst : settings.maxRequests;
  const high = rows(settings);
  const label = { text: "", color: c.muted, font: { size: 11 } };
  const ticks = { color: c.muted, font: { size: 11 }, maxRotation: 0 };
  return {
    x: {
      type: "linear", min: 0, max: run.seconds, border: { color: c.grid }, grid: { display: false },
      ticks: { ...ticks, callback: (value) => `${value} s`, maxTicksLimit: 9, includeBounds: false },
    },
    level: {
      axis: "y", stack: "y", stackWeight: 4, min: 0, max: capacity, border: { display: false }, offset: false,
      afterBuildTicks: (axis) => (axis.ticks = [{ value: 0 }, { value: capacity }]),
      ticks, grid: { color: c.grid, drawTicks: false },
      title: { ...label, display: true, text: bucket ? "tokens" : "used" },
    },
    dots: {
      axis: "y", stack: "y", stackWeight: 6, min: -high - 1, max: high + 1, border: { display: false },
      afterBuildTicks: (axis) => (axis.ticks = [{ value: high / 2 }, { value: 0 }, { value: -high / 2 }]),
      ticks: { ...ticks, callback: (value) => (value > 0 ? "allowed" : value < 0 ? "refused" : "") },
      grid: { color: ({ tick }) => (tick?.value === 0 ? c.line : "transparent"), drawTicks: false },
    },
  };
}

function levelSets(run, lane, c) {
  const bucket = lane.algorithm === "token-bucket";
  const clients = run.settings.shape === "clients" ? run.settings.clients : 1;
  return Array.from({ length: clients }, (_, client) => ({
    data: lane.levels
      .filter((level) => level.client === client)
      .map(({ t, left, by }) => ({ x: t, y: by && by !== "store" ? null : bucket ? left : run.settings.maxRequests - left })),
    yAxisID: "level", stepped: "before", pointRadius: 0, borderWidth: clients > 1 && client > 0 ? 1 : 1.5,
    borderColor: c.allowed, backgroundColor: c.area, fill: client === 0 ? "origin" : false,
  }));
}

/** @param picked gets the decision whose dot is clicked */
export function newChart(canvas, run, lane, picked) {
  const c = colours();
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  const chart = new Chart(canvas, {
    type: "line",
    data: { datasets: dotSets(run.settings, c) },
    plugins: [marks],
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: true, events: [],
      layout: { padding: { top: WORDS_HEIGHT, right: 6 } },
      plugins: { legend: { display: false }, tooltip: { enabled: false } },
      scales: axes(run, lane, c),
    },
  });
  canvas.onclick = (event) => {
    const nearest = chart.getElementsAtEventForMode(event, "nearest", { intersect: false, axis: "xy" }, false);
    const { decision } = nearest.map(({ datasetIndex, index }) => chart.data.datasets[datasetIndex].data[index])[0] ?? {};
    if (decision) picked(decision);
  };
  return {
    draw(shown, shownLane, now) {
      const points = dots(shownLane.decisions, shown);
      const fixed = chart.data.datasets.filter((set) => set.id);
      fixed.forEach((set) => (set.data = points[set.id]));
      chart.data.datasets = [...fixed, ...levelSets(shown, shownLane, c)];
      chart.options.scales.x.max = shown.seconds;
      chart.options.plugins.marks = { run: shown, lane: shownLane, now, colours: c };
      chart.update("none");
    },
    destroy: () => chart.destroy(),
  };
}
