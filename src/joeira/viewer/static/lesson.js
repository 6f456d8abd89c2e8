// What the marks of a page are worth: rules to look at, files to keep.
import { $, download, h } from "./dom.js";
import { forget, mark, on, state } from "./store.js";
import { t } from "./language.js";
import { teach } from "./api.js";

const SHOWN_RECORDS = 3;
let said = null; // answer to the last request, shown until a mark changes

const marks = () =>
  [...state.marks.values()].map(({ first, stop, row, as, name }) => ({ first, stop, row, as, name: name ?? "" }));

async function ask(save) {
  try {
    said = await teach(state.id, { marks: marks(), method: state.wish.method, records: state.wish.records, save });
    if (save && said.label) {
      download("labels.jsonl", `${said.label}\n`, "application/jsonl");
      download("site.json", said.site, "application/json");
      said.note = t("downloaded");
    } else if (save) said.note = t("saved", { files: said.saved.join(", ") });
    if (save) forget();
  } catch (error) {
    said = { rules: [], note: error.message };
  }
  render();
  $("live").textContent = said.note ?? "";
}

function discard() {
  said = null;
  for (const each of [...state.marks.values()]) mark(each, null);
}

const rule = ({ selector, decision, name, blocks }) =>
  h("li", {}, h("code", {}, selector), " → ", name || t(`as_${decision}`), " ",
    h("small", {}, `(${t("rule_blocks", { n: blocks })})`));

/** The records that the marked fields make: how many, of what, and what the first ones are. */
function gold({ records, columns }) {
  const told = t("gold_records", { n: records.length, fields: columns.join(", ") });
  const more = records.length > SHOWN_RECORDS ? h("li", { class: "more" }, "…") : null;
  return h("div", { id: "gold" }, h("p", {}, told),
    h("ol", {}, records.slice(0, SHOWN_RECORDS).map((values) =>
      h("li", { dir: "auto" }, values.map((value) => value || "–").join(" · "))), more));
}

export function render() {
  const bar = $("lesson");
  bar.hidden = !state.marks.size && !said;
  if (bar.hidden) return;
  bar.replaceChildren(...[
    h("p", {},
      h("b", {}, t("marks", { n: state.marks.size })),
      h("button", { id: "preview-rules", onclick: () => ask(false) }, t("preview")),
      h("button", { id: "save-marks", class: "primary", onclick: () => ask(true) }, t("save")),
      h("button", { class: "plain", onclick: discard }, t("discard"))),
    said?.note ? h("p", { id: "lesson-note" }, said.note) : null,
    said ? h("ul", { id: "rules" }, said.rules.map(rule)) : null,
    said?.records?.records.length ? gold(said.records) : null,
  ].filter(Boolean));
}

export function listen() {
  on("marked", () => {
    said = null;
    render();
  });
  on("shown", () => {
    said = null;
    render();
  });
}
