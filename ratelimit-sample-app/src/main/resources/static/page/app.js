// The page: starts runs, shows them, saves them and plays them again.

import { frames, replay } from "playground/board.js";
import { confirmShared } from "playground/instances.js";
import { end, newRun } from "playground/run.js";
import { limitOf, play } from "playground/runner.js";
import { send, state } from "playground/api.js";
import { parse } from "playground/saved.js";
import { newSettings } from "playground/settings.js";
import { plan } from "playground/shapes.js";
import { say, show, showBusy, showProgress, showSource, showSummary } from "playground/stage.js";
import { storeClock } from "playground/time.js";

const by = (id) => document.getElementById(id);
const settings = newSettings(by("settings"));

let run; // the last one, and its board
let board;
let current; // aborts what goes on, a run or a replay
let turn = Promise.resolve();

/** Ends what goes on, and does the next when that has ended. */
function next(work) {
  current?.abort();
  const mine = (current = new AbortController());
  say("error", "");
  showBusy(true, work === start ? undefined : run);
  turn = turn
    .then(() => mine.signal.aborted || work(mine.signal).then(() => say("error", ""))) // of a file chosen meanwhile
    .catch((failed) => mine.signal.aborted || say("error", failed.message))
    .finally(() => {
      if (current !== mine) return;
      current = undefined;
      showBusy(false, run);
    });
}

/** Looks at each limit: one that is not valid is an error here, and no instance meets it for the first time in a burst. */
async function lookAtEach(instance, chosen, run, signal) {
  for (const algorithm of chosen.algorithms) {
    await send(instance, limitOf(chosen, algorithm), { run, requests: 0 }, signal);
  }
}

async function start(signal) {
  const chosen = settings.read();
  const id = Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => "0123456789abcdef"[byte % 16]).join("");
  const first = await state("", signal);
  const clock = storeClock(first.nowMicros);
  await lookAtEach("", chosen, id, signal);
  if (chosen.instance) {
    await confirmShared(chosen.instance, first, id, signal);
    await lookAtEach(chosen.instance, chosen, id, signal);
  }

  const planned = plan(chosen, clock());
  run = newRun(chosen, planned, first.store);
  board = show(run, "live");
  if (by("lanes").getBoundingClientRect().top > innerHeight / 2) by("start").scrollIntoView(); // Stop stays in sight
  await live(planned.events, id, clock, signal);
}

async function live(events, id, clock, signal) {
  const ended = new AbortController();
  const now = () => (clock() - run.start) / 1e6;
  const drawing = frames(now, run.seconds, AbortSignal.any([signal, ended.signal]), (at) => {
    board.draw(run, at);
    showProgress(run, at);
  });
  let how = "Ended early";
  try {
    await play(run, events, id, clock, signal);
    await drawing;
    how = "Done";
  } finally {
    ended.abort();
    await drawing;
    end(run, now());
    board.draw(run, run.seconds);
    showSummary(run, signal.aborted ? "Stopped" : how);
  }
}

async function playAgain(signal) {
  say("status", "Playing a recorded run.");
  await replay(board, run, signal);
  showSummary(run, "Done");
}

function playRecorded(recorded) {
  return (signal) => {
    run = recorded;
    board = show(run, "recorded");
    return playAgain(signal);
  };
}

by("settings").addEventListener("submit", (event) => {
  event.preventDefault();
  if (current) current.abort();
  else next(start);
});
by("again").addEventListener("click", () => next(playAgain));
by("save").addEventListener("click", () => {
  const url = URL.createObjectURL(new Blob([JSON.stringify(run)], { type: "application/json" }));
  Object.assign(document.createElement("a"), { href: url, download: `${run.settings.shape}-run.json` }).click();
  URL.revokeObjectURL(url);
});
by("load").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (!file) return;
  try {
    next(playRecorded(parse(await file.text())));
  } catch (failed) {
    say("error", failed.message);
  }
  target.value = "";
});

const recorded = by("recorded-run");
if (recorded) {
  document.body.classList.add("recorded");
  run = parse(recorded.textContent);
  board = show(run, "recorded");
  board.draw(run, run.seconds);
  showSummary(run, "Done");
  showBusy(false, run);
} else {
  const { store } = await state("", new AbortController().signal).catch((failed) => (say("error", failed.message), {}));
  showSource("live", store);
  if (!current) say("status", "Press Start: the sample decides real requests, and each becomes a dot.");
}
