// What the page shows of a run as a whole: where it was counted, how it goes, and its lanes.

import { newBoard } from "playground/board.js";
import { count, traffic, unanswered } from "playground/run.js";
import { late } from "playground/shapes.js";
import { algorithms, busy, deciders, outages, shapes, sources, stores } from "playground/texts.js";

const by = (id) => document.getElementById(id);
let board;

/** Shows a text, unless it is there already: what does not change is not read out again. */
export const say = (id, text) => {
  if (by(id).textContent !== text) by(id).textContent = text;
};

/** Says where decisions come from. */
export function showSource(source, store) {
  say("source", sources[source][0]);
  say("store", stores[store] ?? "nowhere now");
  say("truth", sources[source][1]);
}

/** Shows a run instead of the last one. */
export function show(run, source) {
  board?.destroy();
  board = undefined;
  showSource(source, run.store);
  board = newBoard(by("lanes"), run);
  return board;
}

/** Who decided last, if it was not the store. */
function showDecider(run) {
  const last = run.lanes.map((lane) => lane.decisions.at(-1)).find(Boolean);
  say("decider", (last && deciders[unanswered(last)]) ?? "");
}

/** How a run goes; the seconds until it begins are not part of what is read out. */
export function showProgress(run, now) {
  const { name } = shapes[run.settings.shape];
  say("countdown", now < 0 ? `${Math.ceil(-now)} s` : "");
  if (now < 0 && run.settings.shape === "boundary") {
    say("status", `${name}: starts so that the window's edge lies between the bursts.`);
  }
  else say("status", now < run.last ? `${name}: running.` : `${name}: traffic is over; what happens to the quota?`);
  showDecider(run);
}

/** @param how a run ended, in a word */
export function showSummary(run, how) {
  const allowed = run.lanes.map((lane) => `${algorithms[lane.algorithm].name.toLowerCase()} ${count(lane, "allowed")}`);
  const { maxRequests, window } = run.settings;
  const requests = traffic(run.lanes[0]).length;
  say("countdown", "");
  showDecider(run);
  const notes = (outages[run.lanes[0].decisions.map(unanswered).find(Boolean)] ?? "") + (late(run) ? busy : "");
  say("status", `${how}. Allowed of ${requests}: ${allowed.join(", ")}. Limit: ${maxRequests} in ${window} s.${notes}`);
}

/**
 * While something goes on, the button of the form ends it.
 * @param run what can be played, also while it is: a button that goes away takes the focus with it
 */
export function showBusy(going, run) {
  by("start").textContent = going ? "Stop" : "Start";
  by("save").disabled = going || !run;
  by("again").hidden = !run;
}
