// Reads a saved run. All of it is checked before anything is drawn, because a file may be damaged or changed by hand.

import { algorithms, shapes, stores } from "playground/texts.js";

const MOST_BYTES = 10_000_000;
const MOST_ENTRIES = 20_000;

class Damaged extends Error {}

const check = (valid) => (value, path) => {
  if (!valid(value)) throw new Damaged(`${path} is ${JSON.stringify(value)?.slice(0, 40) ?? "missing"}`);
};
const number = (least, most) => check((value) => Number.isFinite(value) && value >= least && value <= most);
const integer = (least, most) => check((value) => Number.isSafeInteger(value) && value >= least && value <= most);
const oneOf = (...values) => check((value) => values.includes(value));
const keyOf = (table) => oneOf(...Object.keys(table));
const text = check((value) => typeof value === "string");
const or = (absent, each) => (value, path) => value === absent || each(value, path);

const fields = (all) => (value, path) => {
  check((it) => it !== null && typeof it === "object")(value, path);
  for (const [name, each] of Object.entries(all)) each(value[name], `${path}.${name}`);
};
const list = (each, least = 0, most = MOST_ENTRIES) => (value, path) => {
  check((it) => Array.isArray(it))(value, path);
  if (value.length < least || value.length > most) throw new Damaged(`${path} has ${value.length} entries`);
  value.forEach((entry, i) => each(entry, `${path}[${i}]`));
};

const seconds = number(0, 600);
const after = number(0, 100_000); // a large bucket that refills slowly
const client = integer(0, 9);
const instance = oneOf(0, 1);
const kind = oneOf("allowed", "refused", "failed");

const settings = fields({
  shape: keyOf(shapes),
  maxRequests: integer(1, 1000),
  window: integer(1, 60),
  burst: or("", integer(1, 1000)),
  buckets: or(undefined, or("", integer(2, 3600))),
  cost: integer(1, 1000),
  rate: or(undefined, number(0.1, 20)),
  size: or(undefined, integer(1, 100)),
  clients: or(undefined, integer(1, 5)),
});
const lane = fields({
  algorithm: keyOf(algorithms),
  limit: or(undefined, or(null, text)),
  decisions: list(fields({
    t: seconds, kind, by: oneOf("store", "local", "none"), after: or(null, after),
    instance, client, retry: oneOf(true, false),
  })),
  levels: list(fields({ t: seconds, left: number(0, 1000), client, by: or(undefined, oneOf("store", "local", "none")) })),
  responses: list(fields({ t: seconds, status: integer(100, 599), headers: list(list(text, 2, 2), 0, 20) }), 0, 2),
  retry: or(null, fields({ refusedAt: seconds, after, client, instance, result: or(undefined, kind) })),
});
const saved = fields({
  version: oneOf(1),
  settings,
  store: keyOf(stores),
  start: integer(0, Number.MAX_SAFE_INTEGER),
  seconds: integer(1, 600),
  edge: number(0, 60),
  last: seconds,
  lanes: list(lane, 1, Object.keys(algorithms).length),
});

/** @throws Error that says what is wrong, if the text is not a saved run */
export function parse(content) {
  const otherwise = ": choose one that Save run has written.";
  if (content.length > MOST_BYTES) throw new Error(`This file is too large for a run${otherwise}`);
  let run;
  try {
    run = JSON.parse(content);
  } catch {
    throw new Error(`This file is not JSON${otherwise}`);
  }
  try {
    saved(run, "run");
  } catch (failed) {
    if (failed instanceof Damaged) throw new Error(`This file holds no run that can be drawn (${failed.message})${otherwise}`);
    throw failed;
  }
  if (new Set(run.lanes.map(({ algorithm }) => algorithm)).size < run.lanes.length) {
    throw new Error(`This file has two lanes of one algorithm${otherwise}`);
  }
  return run;
}
