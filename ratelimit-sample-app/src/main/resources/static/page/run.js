// A run as it is saved: its settings, and for each lane all that was decided. Times are seconds from its start.

export function newRun(settings, planned, store) {
  return {
    version: 1,
    settings,
    store,
    start: planned.start,
    seconds: planned.seconds,
    edge: planned.edge,
    last: planned.last,
    lanes: settings.algorithms.map((algorithm) => ({ algorithm, limit: null, decisions: [], levels: [], responses: [], retry: null })),
  };
}

/** Adds an answer: decisions that count, a retry, or a look. */
export function add(lane, run, event, instance, answer) {
  const t = Math.max(0, (answer.decidedAt - run.start) / 1e6);
  const retry = Boolean(event.retry);
  for (const { kind, by, after } of event.requests ? answer.outcomes : []) {
    lane.decisions.push({ t, kind, by, after, instance, client: event.client, retry });
  }
  const last = answer.outcomes.at(-1);
  const [, policy] = answer.headers.find(([name]) => name === "RateLimit-Policy") ?? [];
  lane.limit ??= policy?.match(/^"([^"]+)"/)?.[1] ?? null; // an answer that no store gave has no such header
  if (last && (last.left !== null || last.by !== "store")) {
    lane.levels.push({ t, left: last.left ?? 0, client: event.client, by: last.by });
  }
  if (event.requests) {
    lane.responses = [...lane.responses.slice(-1), { t, status: answer.status, headers: answer.headers }];
    if (retry) {
      lane.retry.result = last?.kind;
    } else if (answer.status === 429) {
      lane.retry = { refusedAt: t, after: answer.retryAfter, client: event.client, instance };
    } else if (lane.retry?.client === event.client) {
      lane.retry = null; // what it waits for has been given to a later request
    }
  }
}

/** Ends a run, maybe before its time: then it is as long as it lasted. */
export function end(run, seconds) {
  run.seconds = Math.min(run.seconds, Math.max(1, Math.ceil(seconds)));
}

export const traffic = (lane) => lane.decisions.filter((decision) => !decision.retry);

/** Who decided, if it was not the store: local, none, or failed for a 503. */
export const unanswered = ({ kind, by }) => (kind === "failed" ? "failed" : by === "store" ? undefined : by);

export const count = (lane, kind) => traffic(lane).filter((decision) => decision.kind === kind).length;

/** The largest cost that one client was allowed in any window: what the limit promises to bound. */
export function mostInAnyWindow(lane, { window, cost }) {
  const times = new Map();
  let most = 0;
  for (const { t, kind, client } of traffic(lane)) {
    if (kind !== "allowed") continue;
    const mine = times.get(client) ?? [];
    mine.push(t);
    while (Math.round((t - mine[0]) * 1e6) >= window * 1e6) mine.shift();
    times.set(client, mine);
    most = Math.max(most, mine.length * cost);
  }
  return most;
}

/** The run as it stood at a time, to draw it again. */
export function until(run, seconds) {
  const early = (entry) => entry.t <= seconds;
  return {
    ...run,
    lanes: run.lanes.map((lane) => ({
      ...lane,
      decisions: lane.decisions.filter(early),
      levels: lane.levels.filter(early),
      responses: lane.responses.filter(early),
      retry: lane.retry && early({ t: lane.retry.refusedAt }) ? { ...lane.retry, result: retried(lane, seconds) } : null,
    })),
  };
}

/** When the Retry-After of the last refusal has passed. */
export const retryAt = ({ retry }) => retry.refusedAt + retry.after;

const retried = (lane, seconds) => (retryAt(lane) <= seconds ? lane.retry.result : undefined);
