// What a lane says in words, also to people who do not see its chart.

import { algorithms } from "playground/texts.js";
import { count, mostInAnyWindow, retryAt } from "playground/run.js";

export function sentence(run, lane) {
  const { window, maxRequests } = run.settings;
  const failed = count(lane, "failed");
  return `${algorithms[lane.algorithm].name}: ${count(lane, "allowed")} allowed, ${count(lane, "refused")} refused`
    + (failed ? `, ${failed} answered 503` : "")
    + `; at most ${mostInAnyWindow(lane, run.settings)} in any ${window} s, limit ${maxRequests}.`;
}

export const mostLabel = ({ window, cost }) => `${cost > 1 ? "highest cost" : "most"} in any ${window} s`;

export const atSecond = (t) => `${t.toFixed(2)} s`;

/** The name of the limit as the responses have it; the one that the page asked for, if no store has answered. */
export const limitName = (lane) => lane.limit ?? `playground-${lane.algorithm}`;

/** Why a decision was made, for whom it counts, and when a refused request would pass. */
export function explanation(run, lane, { t, kind, by, after, client, instance }) {
  const who = by === "store" ? (run.store === "redis" ? "Redis" : "the memory of the sample") : `instance ${instance + 1} alone`;
  if (kind === "failed") return `503 at ${atSecond(t)}: Redis did not answer, and the policy is closed.`;
  if (by === "none") return `Allowed at ${atSecond(t)}: Redis did not answer, and the policy is open.`;
  const { maxRequests, window } = run.settings;
  return `${kind[0].toUpperCase()}${kind.slice(1)} at ${atSecond(t)} by ${limitName(lane)}, ${maxRequests} in ${window} s, `
    + `counted for client ${client + 1} of this run in ${who}.`
    + (kind === "refused" ? ` It would pass at ${atSecond(t + after)} if nobody else called.` : "");
}

export function retryText(lane, run, now) {
  const { retry } = lane;
  if (!retry || now < run.last) return "";
  if (retry.result) return `Retried ${retry.after} s after the refusal, as Retry-After says: ${retry.result}.`;
  const refused = `Refused with Retry-After: ${retry.after}`;
  if (retryAt(lane) > run.seconds) return `${refused}. The run ends before that.`;
  return `${refused}. Retrying in ${Math.max(0, retryAt(lane) - now).toFixed(1)} s.`;
}

/** What a client of the service would look at first. */
export function headline({ status, headers }) {
  const [name, value] = headers.find(([name]) => name === (status === 200 ? "X-RateLimit-Remaining" : "Retry-After")) ?? [];
  return `HTTP ${status}${name ? `, ${name}: ${value}` : ""}`;
}
