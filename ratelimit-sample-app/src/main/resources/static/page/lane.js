// A lane of the page: what an algorithm does, what it decided, and the last answer.

import { newChart } from "playground/chart.js";
import { algorithms } from "playground/texts.js";
import { count, mostInAnyWindow, traffic } from "playground/run.js";

const element = (tag, className, text = "") => Object.assign(document.createElement(tag), { className, textContent: text });

/** In one sentence, for the status line and for those who do not see the chart. */
export function sentence(run, lane) {
  const { window, maxRequests } = run.settings;
  const failed = count(lane, "failed");
  return `${algorithms[lane.algorithm].name}: ${count(lane, "allowed")} allowed, ${count(lane, "refused")} refused`
    + (failed ? `, ${failed} answered 503` : "")
    + `; at most ${mostInAnyWindow(lane, run.settings)} in any ${window} s, limit ${maxRequests}.`;
}

const atSecond = (t) => `${t.toFixed(2)} s`;

/** Why a decision was made, for whom it counts, and when a refused request would pass. */
function explanation(run, { algorithm }, { t, kind, by, after, client, instance }) {
  const who = by === "store" ? (run.store === "redis" ? "Redis" : "the memory of the sample") : `instance ${instance + 1} alone`;
  if (kind === "failed") return `503 at ${atSecond(t)}: Redis did not answer, and the policy is closed.`;
  if (by === "none") return `Allowed at ${atSecond(t)}: Redis did not answer, and the policy is open.`;
  const { maxRequests, window } = run.settings;
  return `${kind[0].toUpperCase()}${kind.slice(1)} at ${atSecond(t)} by playground-${algorithm}, ${maxRequests} in ${window} s, `
    + `counted for client ${client + 1} of this run in ${who}.`
    + (kind === "refused" ? ` It would pass at ${atSecond(t + after)} if nobody else called.` : "");
}

function retryText({ retry }, run, now) {
  if (!retry || now < run.last) return "";
  if (retry.result) return `Retried ${retry.after} s after the refusal, as Retry-After says: ${retry.result}.`;
  const left = Math.max(0, retry.refusedAt + retry.after - now);
  return `Refused with Retry-After: ${retry.after}. Retrying in ${left.toFixed(1)} s.`;
}

// What a client of the service would look at first.
function headline({ status, headers }) {
  const [name, value] = headers.find(([name]) => name === (status === 200 ? "X-RateLimit-Remaining" : "Retry-After")) ?? [];
  return `HTTP ${status}${name ? `, ${name}: ${value}` : ""}`;
}

function tableRows(lane) {
  return traffic(lane).slice(-50).map(({ t, kind, by, after, client, instance }) => {
    const row = document.createElement("tr");
    row.append(...[atSecond(t), kind, by, client + 1, instance + 1, after ? atSecond(t + after) : ""].map((text) => element("td", "", text)));
    return row;
  });
}

function skeleton(lane) {
  const article = element("article", "lane");
  article.id = lane.algorithm;
  const { name, text } = algorithms[lane.algorithm];
  article.innerHTML = `
    <h2></h2><p class="what"></p>
    <dl class="counts">
      <div><dt>allowed</dt><dd class="allowed">0</dd></div>
      <div><dt>refused</dt><dd class="refused">0</dd></div>
      <div hidden><dt>503</dt><dd class="failed">0</dd></div>
      <div class="most"><dt></dt><dd class="peak">0</dd></div>
    </dl>
    <div class="chart"><canvas role="img"></canvas></div>
    <p class="why" role="status"></p>
    <p class="retry"></p>
    <details class="last"><summary>No response yet</summary><pre tabindex="0"></pre></details>
    <details class="table"><summary>Decisions as a table</summary><div tabindex="0"><table>
      <thead><tr><th>at</th><th>decision</th><th>by</th><th>client</th><th>instance</th><th>would pass at</th></tr></thead><tbody></tbody>
    </table></div></details>`;
  article.querySelector("h2").textContent = name;
  article.querySelector(".what").textContent = text;
  return article;
}

export function newLane(parent, run, lane) {
  const article = skeleton(lane);
  parent.append(article);
  const find = (selector) => article.querySelector(selector);
  const put = (selector, text) => {
    const target = find(selector);
    if (target.textContent !== String(text)) target.textContent = text;
  };
  const { window, maxRequests } = run.settings;
  put(".most dt", `most in any ${window} s`);
  const pick = (decision) => put(".why", explanation(shown.run, lane, decision));
  let chart = newChart(find("canvas"), run, lane, pick);
  const table = find(".table");
  let shown = { run, lane, now: 0 };
  const drawTable = () => table.open && find("tbody").replaceChildren(...tableRows(shown.lane));
  table.addEventListener("toggle", drawTable);

  return {
    draw(run, lane, now) {
      shown = { run, lane, now };
      for (const kind of ["allowed", "refused", "failed"]) put(`dd.${kind}`, count(lane, kind));
      find("dd.failed").parentElement.hidden = count(lane, "failed") === 0;
      const most = mostInAnyWindow(lane, run.settings);
      put(".peak", most > maxRequests ? `${most}, over the limit of ${maxRequests}` : most);
      find(".most").classList.toggle("over", most > maxRequests);
      put(".retry", retryText(lane, run, now));
      const response = lane.responses.at(-1);
      if (response) {
        put(".last summary", `Last response: ${headline(response)}`);
        put(".last pre", [`HTTP/1.1 ${response.status}`, ...response.headers.map((header) => header.join(": "))].join("\n"));
      }
      find("canvas").setAttribute("aria-label", sentence(run, lane));
      drawTable();
      chart.draw(run, lane, now);
    },
    recolour() {
      chart.destroy();
      chart = newChart(find("canvas"), shown.run, shown.lane, pick);
      chart.draw(shown.run, shown.lane, shown.now);
    },
    destroy() {
      chart.destroy();
      article.remove();
    },
  };
}
