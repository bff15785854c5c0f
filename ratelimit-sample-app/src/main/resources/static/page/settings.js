// The form: what it offers, what it holds, and what cannot be right before the sample is asked.

import { algorithms, shapes } from "playground/texts.js";

const INTEGERS = ["maxRequests", "window", "burst", "cost", "size", "clients"];
const BOUNDS = {
  rate: [0.1, 20, "requests a second"], size: [1, 100, "requests in a burst"],
  clients: [1, 5, "clients"], seconds: [1, 120, "seconds of traffic"],
};

function choice(type, name, value, text, checked) {
  const label = document.createElement("label");
  const input = Object.assign(document.createElement("input"), { type, name, value, checked });
  label.append(input, Object.assign(document.createElement("span"), { textContent: text }));
  return label;
}

export function newSettings(form) {
  const shapeOf = () => form.elements.shape.value;

  const showShape = () => {
    const { text, fields, start } = shapes[shapeOf()];
    form.querySelector("#shape-text").textContent = text;
    for (const label of form.querySelectorAll("[data-for]")) label.hidden = !fields.includes(label.dataset.for);
    const values = { burst: start.maxRequests, cost: 1, ...start };
    for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
  };

  form.querySelector("#shapes").append(
    ...Object.entries(shapes).map(([id, { name }]) => choice("radio", "shape", id, name, id === "boundary")),
  );
  form.querySelector("#algorithms").append(
    ...Object.entries(algorithms).map(([id, { name }]) => choice("checkbox", "algorithms", id, name, true)),
  );
  form.querySelector("#shapes").addEventListener("change", showShape);
  showShape();

  return {
    /** @throws Error that says which field to correct */
    read() {
      const data = new FormData(form);
      const settings = { shape: data.get("shape"), algorithms: data.getAll("algorithms") };
      if (!settings.algorithms.length) throw new Error("No algorithm is chosen: choose at least one.");
      const fields = ["maxRequests", "window", "burst", "cost", ...shapes[settings.shape].fields];
      for (const name of fields) settings[name] = number(form.elements[name]);
      settings.instance = data.get("instance").trim().replace(/\/$/, "");
      settings.onStoreFailure = data.get("onStoreFailure");
      return settings;
    },
  };
}

function number({ name, value, labels }) {
  const what = labels[0].firstChild.textContent.trim();
  if (value.trim() === "" && name === "burst") return "";
  const parsed = Number(value.replace(",", "."));
  if (value.trim() === "" || Number.isNaN(parsed) || (INTEGERS.includes(name) && !Number.isInteger(parsed))) {
    throw new Error(`${what} '${value}' is not a ${INTEGERS.includes(name) ? "whole " : ""}number.`);
  }
  const [least, most, unit] = BOUNDS[name] ?? [-Infinity, Infinity];
  if (parsed < least || parsed > most) {
    throw new Error(`${what} '${value}' must be at least ${least} and at most ${most} ${unit}.`);
  }
  return parsed;
}
