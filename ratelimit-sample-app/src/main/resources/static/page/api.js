// Sends requests to an instance of the sample, and reads its answers.

const HEADERS = ["RateLimit-Policy", "RateLimit", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset",
  "Retry-After", "Cache-Control", "Content-Type"];

async function ask(instance, path, options) {
  try {
    return await fetch(instance + path, options);
  } catch {
    throw new Error(`${instance || "The sample"} does not answer: start it, or correct the address.`);
  }
}

/** What an instance says of itself: its store, and the time by the store's clock. */
export const state = async (instance) => (await ask(instance, "/playground")).json();

/**
 * Lets requests of one client arrive at one instant.
 * @param limit algorithm, maxRequests, window, burst, cost, onStoreFailure
 * @param arrival run, client, requests, and at in µs by the store's clock
 * @returns outcomes in their order, the time of the last decision, status and headers of the response
 * @throws Error with the sample's words if a number is not valid
 */
export async function send(instance, limit, arrival) {
  const query = new URLSearchParams(Object.entries({ ...limit, ...arrival }).filter(([, value]) => value !== ""));
  const response = await ask(instance, `/playground/decisions?${query}`, { method: "POST" });
  if (response.status === 400) {
    throw new Error((await response.json()).detail);
  }
  await response.text();
  const decisions = response.headers.get("Playground-Decisions");
  return {
    status: response.status,
    headers: HEADERS.filter((name) => response.headers.has(name)).map((name) => [name, response.headers.get(name)]),
    retryAfter: Number(response.headers.get("Retry-After")),
    decidedAt: Number(response.headers.get("Playground-Decided-At")),
    outcomes: decisions ? decisions.split(", ").map(outcome) : [],
  };
}

// such as allowed;r=4;by=store or refused;r=0;t=7950000;by=store, with t in µs
function outcome(item) {
  const [kind, ...rest] = item.split(";");
  const values = Object.fromEntries(rest.map((pair) => pair.split("=")));
  const left = "r" in values ? Number(values.r) : null;
  return { kind, left, after: "t" in values ? values.t / 1e6 : null, by: values.by ?? "none" };
}
