// Which methods are asked: two for content, one each for segments and records.
import { $, h } from "./dom.js";
import { state, tell } from "./store.js";
import { t } from "./language.js";

const PLOTS = ["score", "slope", "paths", "none"];
const TASKS = ["segments", "records"]; // layers with a method of their own
let known = { content: [], segments: [], records: [] };
let defaults = null;

/** Take what the service says it has. */
export function offer(start) {
  known = start.methods;
  defaults = { method: start.defaults.content, other: "",
    segments: start.defaults.segments, records: start.defaults.records };
}

/** Choices stay from page to page, but for the rules of a site, which another page may not have. */
export function begin() {
  const had = state.wish.method ? state.wish : defaults;
  const method = had.method === "site" ? defaults.method : had.method;
  state.wish = { ...had, method, other: "" };
}

function fill(select, options, chosen) {
  select.replaceChildren(...options.map(([value, label, title]) =>
    h("option", { value, title, selected: value === chosen }, label)));
  select.title = options.find(([value]) => value === chosen)?.[2] ?? "";
}

const names = (task) => known[task].map((method) => [method.name, method.name, method.about]);

function choose(key, value) {
  state.wish[key] = value;
  if (state.wish.other === state.wish.method) state.wish.other = "";
  tell("wished", key);
}

/** Return a list of the methods for segments or records. */
export function picker(task, id) {
  const select = h("select", { id, onchange: () => choose(task, select.value) });
  fill(select, names(task), state.wish[task]);
  return h("label", { class: "small" }, h("span", {}, t(`${task}_by`)), select);
}

export function render() {
  const { view, wish, layer } = state;
  const content = names("content");
  if (view.has_site) content.push(["site", t("site_method"), ""]);
  fill($("method"), content, wish.method);
  fill($("other"), [["", t("nothing"), ""], ...content.filter(([name]) => name !== wish.method)], wish.other);
  fill($("plot"), PLOTS.map((name) => [name, t(`plot_${name}`), ""]), state.plot);
  $("layer-method").replaceChildren(...(TASKS.includes(layer) ? [picker(layer, `${layer}-method`)] : []));
}

export function listen() {
  for (const id of ["method", "other"]) $(id).addEventListener("change", (event) => choose(id, event.target.value));
  $("plot").addEventListener("change", (event) => {
    state.plot = event.target.value;
    tell("plot");
  });
}
