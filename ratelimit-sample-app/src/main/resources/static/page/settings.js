// The form: what it offers, what it holds, and what cannot be right before the sample is asked.

import { algorithms, shapes } from "playground/texts.js";

const WHOLE = /^-?[0-9]+$/;
const DECIMAL = /^-?[0-9]+(\.[0-9]+)?$/;
const BOUNDS = {
  maxRequests: [1, 1000, "requests"], window: [1, 60, "seconds"], burst: [1, 1000, "tokens"], buckets: [2, 3600, "parts"], cost: [1, 1000, ""],
  rate: [0.1, 20, "requests a second"], size: [1, 100, "requests in a burst"],
  clients: [1, 5, "clients"], seconds: [1, 120, "seconds of traffic"],
};
const FRACTIONS = ["rate", "seconds"];
const OPTIONAL = ["burst", "buckets"];

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
      for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
      const data = new FormData(form);
      const settings = { shape: data.get("shape"), algorithms: data.getAll("algorithms") };
      if (!settings.algorithms.length) throw new Error("No algorithm is chosen: choose at least one.");
      const fields = ["maxRequests", "window", "burst", "buckets", "cost", ...shapes[settings.shape].fields];
      for (const name of fields) settings[name] = number(form.elements[name]);
      settings.instance = instance(form.elements.instance);
      settings.onStoreFailure = data.get("onStoreFailure");
      return settings;
    },
  };
}

/** Leads to the field that is to be corrected, even if it is folded away. */
function mistake(field, message) {
  field.closest("details")?.setAttribute("open", "");
  field.setAttribute("aria-invalid", "true");
  field.setAttribute("aria-describedby", "error");
  field.focus();
  return new Error(message);
}

function number(field) {
  const { name, value, labels } = field;
  const what = labels[0].firstChild.textContent.trim();
  const text = value.trim();
  if (text === "" && OPTIONAL.includes(name)) return "";
  if (!FRACTIONS.includes(name) && !WHOLE.test(text)) {
    throw mistake(field, `${what} '${text}' is not a whole number: write digits only, such as 1000.`);
  }
  if (!DECIMAL.test(text)) throw mistake(field, `${what} '${text}' is not a number: write digits and a point, such as 2.5.`);
  const [least, most, unit] = BOUNDS[name];
  if (Number(text) < least || Number(text) > most) {
    throw mistake(field, `${what} '${text}' must be at least ${least} and at most ${most} ${unit}`.trim() + ".");
  }
  return Number(text);
}

/** The origin of an address of this machine: the page's policy lets no request leave it. */
function instance(field) {
  const text = field.value.trim();
  if (text === "") return "";
  const url = URL.canParse(text) ? new URL(text) : {};
  const near = url.protocol === "http:" && ["localhost", "127.0.0.1"].includes(url.hostname);
  if (!near || url.pathname !== "/" || url.search || url.hash || url.username) {
    throw mistake(field, `Second instance '${text}' is not an address on this machine: write one such as http://localhost:8081.`);
  }
  return url.origin;
}
