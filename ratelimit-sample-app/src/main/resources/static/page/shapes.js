// The traffic of a run: when how many requests of which client arrive, in seconds from the start of the run.

const TICK = 0.25;
const BOUNDARY = 2;

const spread = (from, seconds, at) => {
  const events = [];
  for (let i = 0, t; (t = at(i)) < seconds; i++) events.push({ t: from + t, requests: 1, client: 0 });
  return events;
};

const traffic = {
  // Just under a second after the edge, so that a busy machine has 0.15 s left to decide within that second.
  boundary: ({ size }) => [BOUNDARY - 1.2, BOUNDARY + 0.85].map((t) => ({ t, requests: size, client: 0 })),
  burst: ({ size, seconds }) => spread(1, seconds, (i) => 3 * i).map((event) => ({ ...event, requests: size })),
  steady: ({ rate, seconds }) => spread(1, seconds, (i) => i / rate),
  poisson: ({ rate, seconds }, random) => {
    let t = 0;
    return spread(1, seconds, () => (t += -Math.log(1 - random()) / rate));
  },
  ramp: ({ rate, seconds }) => spread(1, seconds, (i) => Math.sqrt((2 * i * seconds) / rate)),
  // The first client sends every other request, the others share the rest.
  clients: ({ rate, seconds, clients }) =>
    spread(1, seconds, (i) => i / rate).map((event, i) => ({
      ...event,
      client: i % 2 === 0 || clients === 1 ? 0 : 1 + (((i - 1) / 2) % (clients - 1)),
    })),
};

// Looks that charge nothing, four times a second where no request says how the limit stands.
const looks = (events, seconds, clients) => {
  const all = [];
  for (let t = TICK, i = 0; t <= seconds; t += TICK, i++) {
    if (clients > 1 || !events.some((event) => Math.abs(event.t - t) < TICK / 2)) {
      all.push({ t, requests: 0, client: i % clients });
    }
  }
  return all;
};

/**
 * Plans a run that starts now, on a quarter of a second of the store's clock, so that looks fall on the edges.
 * @param settings numbers of the form
 * @param nowMicros the store's clock
 * @returns start in µs by the store's clock, length and first edge in seconds from it, events in the order of time
 */
export function plan(settings, nowMicros, random = Math.random) {
  const quarter = TICK * 1e6;
  const windowMicros = settings.window * 1e6;
  let start = (Math.floor(nowMicros / quarter) + 1) * quarter;
  if (settings.shape === "boundary") {
    start += (windowMicros - ((start + BOUNDARY * 1e6) % windowMicros)) % windowMicros;
  }
  const sinceEdge = (start % windowMicros) / 1e6;
  const edge = sinceEdge === 0 ? 0 : settings.window - sinceEdge;
  const events = traffic[settings.shape](settings, random);
  const last = events.length ? events[events.length - 1].t : 0;
  const seconds = Math.ceil(last + settings.window + 1);
  const clients = settings.shape === "clients" ? settings.clients : 1;
  const all = [...events, ...looks(events, seconds, clients)].sort((a, b) => a.t - b.t);
  return { start, seconds, edge, last, events: all };
}

/** Whether a busy machine has changed what the boundary burst shows. */
export const late = ({ settings, lanes }) =>
  settings.shape === "boundary" &&
  lanes.some((lane) => lane.decisions.some(({ t, retry }) => !retry && t > BOUNDARY + 1));
