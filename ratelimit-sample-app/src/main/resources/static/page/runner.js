// Fires the planned requests at the running sample, and adds each answer to the run.

import { add, retryAt } from "playground/run.js";
import { send } from "playground/api.js";
import { sleep } from "playground/time.js";

const LEAD_MILLIS = 40; // the sample waits for the exact instant
const LATE_LOOK_MILLIS = 150;

/**
 * Who gets the requests of an event: one instance after the other, or both a part of a burst.
 * @param turn how many events of this client came before
 */
function shares(event, turn, instances) {
  if (event.retry) return [[event.instance, event.requests]];
  if (instances.length === 1 || event.requests === 0) return [[0, event.requests]];
  if (event.requests === 1) return [[turn % 2, 1]];
  return [[0, Math.ceil(event.requests / 2)], [1, Math.floor(event.requests / 2)]];
}

/** Retries what was refused last, when its Retry-After has passed, if that is before the end of the run. */
const retries = (run) =>
  run.lanes
    .filter((lane) => lane.retry && retryAt(lane) <= run.seconds)
    .map((lane) => ({ ...lane.retry, t: retryAt(lane), lane, requests: 1, retry: true }));

/** @throws the signal's reason if it is aborted while the sample decides */
export async function play(run, events, id, clock, signal) {
  const { settings } = run;
  const instances = ["", settings.instance].filter((url, i) => i === 0 || url);
  const queue = [...events];
  let traffic = queue.filter((event) => event.requests).length;
  const turns = new Map();

  while (queue.length) {
    const event = queue.shift();
    const turn = turns.get(event.client) ?? 0;
    const at = Math.round(run.start + event.t * 1e6);
    const wait = (at - clock()) / 1000 - LEAD_MILLIS;
    if (wait < -LATE_LOOK_MILLIS && event.requests === 0) continue;
    if (wait > 0) await sleep(wait, signal);
    if (signal.aborted) return;
    await Promise.all(
      run.lanes
        .filter((lane) => !event.lane || event.lane === lane)
        .flatMap((lane) =>
          shares(event, turn, instances).map(async ([instance, requests]) => {
            const arrival = { run: id, client: event.client, requests, at };
            const answer = await send(instances[instance], limitOf(settings, lane.algorithm), arrival, signal);
            add(lane, run, event, instance, answer);
          }),
        ),
    );
    if (event.requests && !event.retry) {
      turns.set(event.client, turn + 1);
      if (--traffic === 0) {
        queue.push(...retries(run));
        queue.sort((a, b) => a.t - b.t);
      }
    }
  }
}

/** The limit of a lane, as the sample wants it. */
export const limitOf = (settings, algorithm) => ({
  algorithm,
  maxRequests: settings.maxRequests,
  window: settings.window,
  burst: algorithm === "token-bucket" ? settings.burst : "",
  buckets: algorithm === "sliding-window-counter" ? settings.buckets : "",
  cost: settings.cost,
  onStoreFailure: settings.onStoreFailure,
});
