// Places decisions as dots: allowed above the line, refused below it, those of one moment beside and above each other.

const BINS = 90;
const LONG_WINDOW = 25; // seconds; its dots need all the height, because there is little width

/** How high dots are piled: bursts high, single requests low and therefore large. */
export const rows = ({ size, window }) => (!size ? 4 : window > LONG_WINDOW ? 20 : 10);

/** Piles of decisions of one moment, one window and one side of the line, in the order of time. */
function pilesOf(decisions, bin, { edge, settings: { window } }) {
  const piles = new Map();
  for (const decision of decisions) {
    const index = Math.floor(Math.round((decision.t - edge) * 1e6) / (window * 1e6));
    const from = edge + index * window;
    const key = `${Math.round(decision.t / bin)} ${index}`;
    const pile = piles.get(key) ?? { at: decision.t, from, to: from + window, decisions: [] };
    pile.decisions.push(decision);
    piles.set(key, pile);
  }
  return [...piles.values()].sort((a, b) => a.at - b.at);
}

/** Where the columns of a pile stand: inside its window, and not over its neighbours. */
function columns(piles, i, count, bin, seconds) {
  const { at, from, to } = piles[i];
  const least = Math.max(0, from, i > 0 ? (piles[i - 1].at + at) / 2 : 0);
  const most = Math.min(seconds, to, i + 1 < piles.length ? (at + piles[i + 1].at) / 2 : seconds);
  const margin = Math.min(bin / 2, (most - least) / 4);
  const step = Math.min(bin, (most - least - 2 * margin) / count);
  const middle = Math.min(Math.max(at, least + margin + (step * (count - 1)) / 2), most - margin - (step * (count - 1)) / 2);
  return (column) => middle + (column - (count - 1) / 2) * step;
}

/** Returns one list of points for each look of a dot. */
export function dots(decisions, run) {
  const height = rows(run.settings);
  const bin = run.seconds / BINS;
  const looks = { allowed0: [], allowed1: [], refused0: [], refused1: [], failed: [], allowedOther: [], refusedOther: [], retries: [] };
  for (const up of [true, false]) {
    const piles = pilesOf(decisions.filter(({ kind }) => (kind === "allowed") === up), bin, run);
    piles.forEach((pile, i) => {
      const x = columns(piles, i, Math.ceil(pile.decisions.length / height), bin, run.seconds);
      pile.decisions.forEach((decision, n) => {
        const row = (n % height) + 1;
        const point = { x: x(Math.floor(n / height)), y: up ? row : -row, decision };
        looks[look(decision)].push(point);
        if (decision.retry) looks.retries.push(point);
      });
    });
  }
  return looks;
}

/** The first of many clients has the looks of a single one. */
const look = ({ kind, instance, client }) =>
  kind === "failed" ? "failed" : kind + (client > 0 && instance === 0 ? "Other" : instance);
