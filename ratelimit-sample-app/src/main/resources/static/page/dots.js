// Places decisions as dots: allowed above the line, refused below it, those of one moment beside and above each other.

const BINS = 90;

/** How high dots are piled: bursts high, single requests low and therefore large. */
export const rows = ({ size }) => (size ? 10 : 4);

/** Returns one list of points for each look of a dot. */
export function dots(decisions, { seconds, settings }) {
  const height = rows(settings);
  const piles = new Map();
  const looks = { allowed0: [], allowed1: [], refused0: [], refused1: [], failed: [], retries: [] };
  const bin = seconds / BINS;
  for (const decision of decisions) {
    const up = decision.kind === "allowed";
    const key = `${Math.round(decision.t / bin)} ${up}`;
    const pile = piles.get(key) ?? { up, at: decision.t, decisions: [] };
    pile.decisions.push(decision);
    piles.set(key, pile);
  }
  for (const { up, at, decisions: pile } of piles.values()) {
    const columns = Math.ceil(pile.length / height);
    pile.forEach((decision, i) => {
      const row = (i % height) + 1;
      const column = Math.floor(i / height) - (columns - 1) / 2;
      const point = { x: at + column * bin, y: up ? row : -row, decision };
      looks[look(decision)].push(point);
      if (decision.retry) looks.retries.push(point);
    });
  }
  return looks;
}

const look = ({ kind, instance }) => (kind === "failed" ? "failed" : kind + instance);
