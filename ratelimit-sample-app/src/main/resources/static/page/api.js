// Sends requests to an instance of the sample, and reads its answers.

const HEADERS = ["RateLimit-Policy", "RateLimit", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
  "Retry-After", "Cache-Control", "Content-Type"];
const PATIENCE_SECONDS = 5; // the sample itself waits for an instant for two at most

const named = (instance) => instance || "The sample";

async function ask(instance, path, method, signal) {
  const patience = AbortSignal.timeout(PATIENCE_SECONDS * 1000);
  try {
    const response = await fetch(instance + path, { method, signal: AbortSignal.any([signal, patience]) });
    return { response, body: await response.text() };
  } catch {
    signal.throwIfAborted();
    const answers = patience.aborted ? `has not answered for ${PATIENCE_SECONDS} s` : "does not answer";
    throw new Error(`${named(instance)} ${answers}: start it, or correct the address.`);
  }
}

const notTheSample = (instance, path, { status }) =>
  new Error(`${named(instance)} is not the sample: it answered ${status} to ${path}. Correct the address.`);

function json(body) {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

/** What an instance says of itself: which one it is, its store, and the time by the store's clock. */
export async function state(instance, signal) {
  const { response, body } = await ask(instance, "/playground", "GET", signal);
  const said = json(body);
  if (!["redis", "memory"].includes(said?.store) || !Number.isSafeInteger(said.nowMicros)) {
    throw notTheSample(instance, "/playground", response);
  }
  return said;
}

/**
 * Lets requests of one client arrive at one instant.
 * @param limit algorithm, maxRequests, window, burst, buckets, cost, onStoreFailure
 * @param arrival run, client, requests, and at in µs by the store's clock
 * @returns outcomes in their order, the time of the last decision, status and headers of the response
 * @throws Error with the sample's words if a number is not valid
 */
export async function send(instance, limit, arrival, signal) {
  const query = new URLSearchParams(Object.entries({ ...limit, ...arrival }).filter(([, value]) => value !== ""));
  const { response, body } = await ask(instance, `/playground/decisions?${query}`, "POST", signal);
  const decisions = response.headers.get("Playground-Decisions");
  if (!decisions) {
    const { detail } = (response.status === 400 && json(body)) || {};
    throw detail ? new Error(detail) : notTheSample(instance, "/playground/decisions", response);
  }
  return {
    status: response.status,
    headers: HEADERS.filter((name) => response.headers.has(name)).map((name) => [name, response.headers.get(name)]),
    retryAfter: Number(response.headers.get("Retry-After")),
    decidedAt: Number(response.headers.get("Playground-Decided-At")),
    outcomes: decisions.split(", ").map(outcome),
  };
}

// such as allowed;r=4;by=store or refused;r=0;t=7950000;by=store, with t in µs
function outcome(item) {
  const [kind, ...rest] = item.split(";");
  const values = Object.fromEntries(rest.map((pair) => pair.split("=")));
  const left = "r" in values ? Number(values.r) : null;
  return { kind, left, after: "t" in values ? values.t / 1e6 : null, by: values.by ?? "none" };
}
