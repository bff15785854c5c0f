// The decisions of a lane as a table. It grows while a run goes on, so that a screen reader keeps its place in it.

import { atSecond, limitName } from "playground/words.js";

const COLUMNS = {
  at: ({ t }) => atSecond(t),
  decision: ({ kind, retry }) => (retry ? `${kind}, a retry` : kind),
  by: ({ by }) => by,
  client: ({ client }) => client + 1,
  instance: ({ instance }) => instance + 1,
  "would pass at": ({ t, after }) => (after ? atSecond(t + after) : ""),
};

const cell = (tag, text) => Object.assign(document.createElement(tag), { textContent: text });

function row(decision) {
  const row = document.createElement("tr");
  row.append(...Object.values(COLUMNS).map((text) => cell("td", text(decision))));
  return row;
}

/** @returns a function that shows the decisions of a lane: all again only if it has fewer than before */
export function newTable(table, { maxRequests, window }) {
  const head = table.createTHead().insertRow();
  head.append(...Object.keys(COLUMNS).map((name) => Object.assign(cell("th", name), { scope: "col" })));
  const caption = table.createCaption();
  const body = table.createTBody();
  return (lane) => {
    const text = `Decisions by ${limitName(lane)}, ${maxRequests} in ${window} s`;
    if (caption.textContent !== text) caption.textContent = text;
    if (lane.decisions.length < body.rows.length) body.replaceChildren();
    body.append(...lane.decisions.slice(body.rows.length).map(row));
  };
}
