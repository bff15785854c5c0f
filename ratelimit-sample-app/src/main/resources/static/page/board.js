// All lanes of a run, drawn ten times a second while it runs or is played again.

import { newLane } from "playground/lane.js";
import { until } from "playground/run.js";
import { sleep } from "playground/time.js";

const FRAME_MILLIS = 100;
const LOOKS = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((query) => matchMedia(query));

export function newBoard(section, run) {
  const lanes = run.lanes.map((lane) => newLane(section, run, lane));
  const draw = (shown, now) => lanes.forEach((lane, i) => lane.draw(shown, shown.lanes[i], now));
  const recolour = () => lanes.forEach((lane) => lane.recolour());
  LOOKS.forEach((look) => look.addEventListener("change", recolour));
  draw(run, 0);
  return {
    draw,
    destroy() {
      LOOKS.forEach((look) => look.removeEventListener("change", recolour));
      lanes.forEach((lane) => lane.destroy());
    },
  };
}

/** Calls with the seconds since the start of a run until it is over or aborted. */
export async function frames(nowSeconds, seconds, signal, frame) {
  for (let now = nowSeconds(); now < seconds && !signal.aborted; now = nowSeconds()) {
    frame(now);
    await sleep(FRAME_MILLIS, signal);
  }
}

/** Draws a finished run again, at the pace at which it happened. */
export async function replay(board, run, signal) {
  const started = performance.now();
  await frames(() => (performance.now() - started) / 1000, run.seconds, signal, (now) => board.draw(until(run, now), now));
  board.draw(run, run.seconds);
}
