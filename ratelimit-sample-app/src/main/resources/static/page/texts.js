// What the page says about algorithms and shapes of traffic, and the numbers that a shape starts with.

export const algorithms = {
  "fixed-window": {
    name: "Fixed window",
    text: "Counts in windows of the clock and starts from zero at each edge. So a burst on both sides of an edge passes twice.",
  },
  "sliding-window-counter": {
    name: "Sliding window counter",
    text: "Keeps two counts and assumes that the last window's requests came evenly: a share of them still counts. An estimate, in 19 bytes. With Buckets it counts parts of the Window, and is closer.",
  },
  "sliding-window-log": {
    name: "Sliding window log",
    text: "Keeps the time of each admitted request, and counts those of the last seconds. Exact, at 12 bytes an admission.",
  },
  "token-bucket": {
    name: "Token bucket",
    text: "A request takes a token, and tokens return at an even rate. A full bucket admits a burst, so up to Burst + Limit in a Window.",
  },
};

export const shapes = {
  boundary: {
    name: "Boundary burst",
    text: "A burst of Size requests about a second before an edge of the Window, and another about a second after it.",
    fields: ["size"],
    start: { maxRequests: 50, window: 10, size: 50 },
  },
  burst: {
    name: "Burst",
    text: "Size requests at one instant, every three seconds, in Traffic for seconds.",
    fields: ["size", "seconds"],
    start: { maxRequests: 10, window: 5, size: 12, seconds: 12 },
  },
  steady: {
    name: "Steady",
    text: "Rate requests a second, evenly spaced: see which of them each algorithm refuses, and when.",
    fields: ["rate", "seconds"],
    start: { maxRequests: 10, window: 5, rate: 3, seconds: 15 },
  },
  poisson: {
    name: "Poisson",
    text: "Independent users: the Rate is right on average, the gaps are random.",
    fields: ["rate", "seconds"],
    start: { maxRequests: 10, window: 5, rate: 3, seconds: 15 },
  },
  ramp: {
    name: "Ramp",
    text: "From no traffic to the full Rate: watch where each algorithm begins to refuse.",
    fields: ["rate", "seconds"],
    start: { maxRequests: 10, window: 5, rate: 6, seconds: 15 },
  },
  clients: {
    name: "Many clients",
    text: "Each of the Clients has a Limit of its own, and the first sends half of all requests: with the numbers as they are at first, only it is refused.",
    fields: ["rate", "clients", "seconds"],
    start: { maxRequests: 5, window: 5, rate: 4, clients: 4, seconds: 12 },
  },
};

export const stores = { redis: "in Redis", memory: "in memory" };

/** What the header says of the dots, before and after where they were counted. */
export const sources = {
  live: ["Every dot is a decision of the running sample, which counts", "Nothing here is simulated."],
  recorded: ["A recorded run: every dot is a decision that the sample made then, when it counted", "Nothing is sent now."],
};

/** What the page says while another than the store decides. */
export const deciders = {
  local: "Redis does not answer: each instance decides for itself (local).",
  none: "Redis does not answer: every request is allowed (open).",
  failed: "Redis does not answer: requests get 503 (closed).",
};

/** The same when the run is over. */
export const outages = {
  local: " While Redis did not answer, each instance counted for itself.",
  none: " While Redis did not answer, every request was allowed.",
  failed: " While Redis did not answer, requests got 503.",
};

export const busy = " This machine was busy: the second burst came over a second after the edge, when the counter allows more. Start again.";
