// A lane of the page: what an algorithm does, what it decided, and the last answer.

import { newChart } from "playground/chart.js";
import { newTable } from "playground/table.js";
import { algorithms } from "playground/texts.js";
import { count, mostInAnyWindow } from "playground/run.js";
import { explanation, headline, mostLabel, retryText, sentence } from "playground/words.js";

function skeleton({ algorithm }) {
  const article = Object.assign(document.createElement("article"), { className: "lane", id: algorithm });
  const { name, text } = algorithms[algorithm];
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
    <details class="table"><summary>Decisions as a table</summary>
      <div tabindex="0" role="region" aria-label="${name}: decisions"><table></table></div></details>`;
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
  const describe = (text) => {
    if (find("canvas").ariaLabel !== text) find("canvas").ariaLabel = text;
  };
  const { maxRequests } = run.settings;
  put(".most dt", mostLabel(run.settings));
  const pick = (decision) => put(".why", explanation(shown.run, shown.lane, decision));
  let chart = newChart(find("canvas"), run, lane, pick);
  const details = find(".table");
  const table = newTable(find("table"), run.settings);
  let shown = { run, lane, now: 0 };
  const drawTable = () => details.open && table(shown.lane);
  details.addEventListener("toggle", drawTable);

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
      describe(sentence(run, lane));
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
