// Fires the planned requests at the running sample, and adds each answer to the run.

import { add } from "playground/run.js";
import { send } from "playground/api.js";

const LEAD_MILLIS = 40; // the sample waits for the exact instant
const LATE_LOOK_MILLIS = 150;

const sleep = (millis) => new Promise((done) => setTimeout(done, millis));

/** Follows the store's clock from what an instance said of it. */
export function storeClock(nowMicros) {
  const asked = performance.now();
  return () => nowMicros + (performance.now() - asked) * 1000;
}

/** Who gets the requests of an event: one instance after the other, or both a part of a burst. */
function shares(event, index, instances) {
  if (event.retry) return [[event.instance, event.requests]];
  if (instances.length === 1 || event.requests === 0) return [[0, event.requests]];
  if (event.requests === 1) return [[index % 2, 1]];
  return [[0, Math.ceil(event.requests / 2)], [1, Math.floor(event.requests / 2)]];
}

/** Retries what was refused last, when its Retry-After has passed. */
const retries = (run) =>
  run.lanes
    .filter((lane) => lane.retry)
    .map((lane) => ({ ...lane.retry, t: lane.retry.refusedAt + lane.retry.after, lane, requests: 1, retry: true }));

export async function play(run, events, id, clock, signal) {
  const { settings } = run;
  const instances = ["", settings.instance].filter((url, i) => i === 0 || url);
  const queue = [...events];
  let traffic = queue.filter((event) => event.requests).length;

  for (let index = 0; queue.length && !signal.aborted; ) {
    const event = queue.shift();
    const at = Math.round(run.start + event.t * 1e6);
    const wait = (at - clock()) / 1000 - LEAD_MILLIS;
    if (wait < -LATE_LOOK_MILLIS && event.requests === 0) continue;
    if (wait > 0) await sleep(wait);
    if (signal.aborted) return;
    await Promise.all(
      run.lanes
        .filter((lane) => !event.lane || event.lane === lane)
        .flatMap((lane) =>
          shares(event, index, instances).map(async ([instance, requests]) => {
            const limit = limitOf(settings, lane.algorithm);
            const answer = await send(instances[instance], limit, { run: id, client: event.client, requests, at });
            add(lane, run, event, instance, answer);
          }),
        ),
    );
    if (event.requests && !event.retry) {
      index++;
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
  cost: settings.cost,
  onStoreFailure: settings.onStoreFailure,
});
