// The language of the interface: chosen, else the browser's, else English.
import { MESSAGES } from "./messages.js";

const wanted = localStorage.getItem("joeira-language") ?? navigator.language.slice(0, 2);
let current = wanted in MESSAGES ? wanted : "en";

/** Return a message with its {names} filled in. */
export function t(key, values = {}) {
  const text = MESSAGES[current][key] ?? MESSAGES.en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** Return a number with what it counts: "1 word", "2 words". */
export const counted = (n, what) => t(n === 1 ? `one_of_${what}` : `n_of_${what}`, { n: number(n) });

export const number = (value) => new Intl.NumberFormat(current).format(value);
export const percent = (value, digits = 0) =>
  new Intl.NumberFormat(current, { style: "percent", maximumFractionDigits: digits }).format(value);

/** Write the messages into the elements that name them. */
export function translate(root = document) {
  document.documentElement.lang = current;
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  const attributes = { tTitle: "title", tLabel: "aria-label", tPlaceholder: "placeholder" };
  for (const [data, name] of Object.entries(attributes)) {
    const hyphened = data.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    for (const element of root.querySelectorAll(`[data-${hyphened}]`)) {
      element.setAttribute(name, t(element.dataset[data]));
      if (name === "title") element.setAttribute("aria-label", t(element.dataset[data]));
    }
  }
}

export function switchLanguage() {
  current = current === "en" ? "pt" : "en";
  localStorage.setItem("joeira-language", current);
  translate();
}
