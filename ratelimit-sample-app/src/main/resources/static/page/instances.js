// Finds out whether a second instance shares its quota with the one that serves the page, before a run says so.

import { send, state } from "playground/api.js";
import { sleep } from "playground/time.js";

const LIMIT = { algorithm: "sliding-window-log", maxRequests: 1, window: 60, cost: 1, onStoreFailure: "closed" };
const CLIENT = 9; // no traffic comes from it
const TRIES = 5;
const PAUSE_MILLIS = 300;

/** What remains of the limit by the store that an instance counts in. */
async function remaining(instance, run, requests, signal) {
  for (let tries = 0; tries < TRIES; tries++) {
    const [outcome] = (await send(instance, LIMIT, { run, client: CLIENT, requests }, signal)).outcomes;
    if (outcome.kind !== "failed") return outcome.left;
    await sleep(PAUSE_MILLIS, signal);
  }
  throw new Error("Redis does not answer, so that two instances cannot be compared: start Redis first.");
}

/**
 * Charges a request here and looks at the other instance.
 * @param first what the page's own instance says of itself
 * @throws Error that says why the two do not share a quota
 */
export async function confirmShared(address, first, run, signal) {
  const second = await state(address, signal);
  if (second.instance === first.instance) {
    throw new Error(`${address} is the instance that serves this page: enter the address of another one.`);
  }
  for (const [name, { store }] of [["The instance that serves this page", first], [address, second]]) {
    if (store !== "redis") throw new Error(`${name} counts in memory and shares no quota: start both instances on one Redis.`);
  }
  await remaining("", run, 1, signal);
  if (await remaining(address, run, 0, signal) !== 0) {
    throw new Error(`${address} does not see what is charged here: it counts in another Redis or under another key prefix.`);
  }
}
