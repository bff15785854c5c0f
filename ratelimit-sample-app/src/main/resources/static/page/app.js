// The page: starts runs, shows them, saves them and plays them again.

import { newBoard, frames, replay } from "playground/board.js";
import { count, end, newRun, parse, traffic } from "playground/run.js";
import { limitOf, play, storeClock } from "playground/runner.js";
import { send, state } from "playground/api.js";
import { newSettings } from "playground/settings.js";
import { late, plan } from "playground/shapes.js";
import { algorithms, shapes } from "playground/texts.js";

const by = (id) => document.getElementById(id);
const settings = newSettings(by("settings"));
const STORES = { redis: "in Redis", memory: "in memory" };
const DECIDERS = {
  store: "", local: "Redis does not answer: each instance decides for itself (local).",
  none: "Redis does not answer: every request is allowed (open).", failed: "Redis does not answer: requests get 503 (closed).",
};
const BUSY = " This machine was busy, and the second burst came over a second after the edge: start again for the numbers of the book.";

let board;
let run;
let running; // an AbortController

const say = (id, text) => {
  if (by(id).textContent !== text) by(id).textContent = text;
};

function show(next) {
  board?.destroy();
  run = next;
  say("store", STORES[run.store]);
  board = newBoard(by("lanes"), run);
}

/** Who decided last, if it was not the store. */
function showDecider() {
  const last = run.lanes.map((lane) => lane.decisions.at(-1)).find(Boolean);
  const text = last ? DECIDERS[last.kind === "failed" ? "failed" : last.by] : "";
  by("decider").hidden = !text;
  say("decider", text);
}

function summary() {
  const allowed = run.lanes.map((lane) => `${algorithms[lane.algorithm].name.toLowerCase()} ${count(lane, "allowed")}`);
  const { maxRequests, window } = run.settings;
  const requests = traffic(run.lanes[0]).length;
  return `Done. Allowed of ${requests}: ${allowed.join(", ")}. Limit: ${maxRequests} in ${window} s.${late(run) ? BUSY : ""}`;
}

function over(text) {
  running = undefined;
  by("start").textContent = "Start";
  by("save").disabled = false;
  by("again").hidden = false;
  say("status", text);
}

function progress(now) {
  const name = shapes[run.settings.shape].name;
  if (now < 0) return `${name}: starts in ${Math.ceil(-now)} s, so that the window's edge lies between the bursts.`;
  return now < run.last ? `${name}: running.` : `${name}: traffic is over; what happens to the quota?`;
}

async function start() {
  say("error", "");
  const chosen = settings.read();
  const id = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => "0123456789abcdef"[byte % 16]).join("");
  if (chosen.instance) await state(chosen.instance);
  const { store, nowMicros } = await state("");
  for (const algorithm of chosen.algorithms) await send("", limitOf(chosen, algorithm), { run: id, requests: 0 });

  const clock = storeClock(nowMicros);
  const planned = plan(chosen, clock());
  show(newRun(chosen, planned, store));
  const control = (running = new AbortController());
  by("start").textContent = "Stop";
  by("save").disabled = true;
  by("again").hidden = true;
  if (by("lanes").getBoundingClientRect().top > innerHeight / 2) by("progress").scrollIntoView();
  const now = () => (clock() - run.start) / 1e6;
  const drawing = frames(now, run.seconds, control.signal, (at) => {
    board.draw(run, at);
    say("status", progress(at));
    showDecider();
  });
  try {
    await Promise.all([drawing, play(run, planned.events, id, clock, control.signal)]);
  } finally {
    control.abort();
    await drawing;
    end(run, now());
    board.draw(run, run.seconds);
    over(summary());
  }
}

async function playAgain() {
  running?.abort();
  const control = (running = new AbortController());
  by("again").hidden = true;
  say("status", "Playing a recorded run.");
  await replay(board, run, control.signal);
  if (running === control) over(summary());
}

const report = (failed) => say("error", failed.message);

by("settings").addEventListener("submit", (event) => {
  event.preventDefault();
  if (running) running.abort();
  else start().catch(report);
});
by("again").addEventListener("click", playAgain);
by("save").addEventListener("click", () => {
  const url = URL.createObjectURL(new Blob([JSON.stringify(run)], { type: "application/json" }));
  Object.assign(document.createElement("a"), { href: url, download: `${run.settings.shape}-run.json` }).click();
  URL.revokeObjectURL(url);
});
by("load").addEventListener("change", async ({ target }) => {
  say("error", "");
  try {
    const loaded = parse(await target.files[0].text());
    running?.abort();
    show(loaded);
    await playAgain();
  } catch (failed) {
    report(failed);
  }
  target.value = "";
});

const recorded = by("recorded-run");
if (recorded) {
  document.body.classList.add("recorded");
  say("tense", "the sample in a recorded run, which counted");
  show(parse(recorded.textContent));
  board.draw(run, run.seconds);
  over(summary());
} else {
  const { store } = await state("").catch((failed) => (report(failed), {}));
  say("store", STORES[store] ?? "nowhere now");
  say("status", "Press Start: the result is there within fifteen seconds.");
}
