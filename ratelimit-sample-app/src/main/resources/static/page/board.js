// All lanes of a run, drawn ten times a second while it runs or is played again.

import { newLane } from "playground/lane.js";
import { until } from "playground/run.js";

const FRAME_MILLIS = 100;

export function newBoard(section, run) {
  const lanes = run.lanes.map((lane) => newLane(section, run, lane));
  const draw = (shown, now) => lanes.forEach((lane, i) => lane.draw(shown, shown.lanes[i], now));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const recolour = () => lanes.forEach((lane) => lane.recolour());
  dark.addEventListener("change", recolour);
  draw(run, 0);
  return {
    draw,
    destroy() {
      dark.removeEventListener("change", recolour);
      lanes.forEach((lane) => lane.destroy());
    },
  };
}

/** Calls with the seconds since the start of a run until it is over or aborted. */
export async function frames(nowSeconds, seconds, signal, frame) {
  for (let now = nowSeconds(); now < seconds && !signal.aborted; now = nowSeconds()) {
    frame(now);
    await new Promise((done) => setTimeout(done, FRAME_MILLIS));
  }
}

/** Draws a finished run again, at the pace at which it happened. */
export async function replay(board, run, signal) {
  const started = performance.now();
  await frames(() => (performance.now() - started) / 1000, run.seconds, signal, (now) => board.draw(until(run, now), now));
  board.draw(run, run.seconds);
}
