// One block: what was decided, why, where it is, and what the user says it is.
import { $, copy, h } from "./dom.js";
import { choose, chosenTexts, isTitle, mark, markOf, on, state } from "./store.js";
import { counted, number as numeral, t } from "./language.js";
import { source } from "./api.js";
import { boxOfBlock } from "./stage.js";

function verdict(decision) {
  const word = t(decision.kept ? "kept" : "dropped");
  return h("span", { class: `verdict ${decision.kept ? "kept" : ""}` }, word);
}

function score(decision) {
  if (decision.score === null) return null;
  const known = decision.score >= 0 && decision.score <= 1;
  const bar = known ? h("i", { style: { "--share": `${decision.score * 100}%` } }) : null;
  return h("span", { class: "score" }, bar, `${t("score")} ${decision.score.toFixed(2)}`);
}

/** What a reason is made of is easier to read below each other. */
const reasons = (decision) =>
  h("ul", { class: "reasons", lang: "en", "aria-label": t("why") },
    decision.reasons.map((part) => h("li", {}, part)));

function copyable(text) {
  const button = h("button", {
    class: "plain",
    onclick: async () => {
      button.textContent = t(await copy(text) ? "copied" : "not_copied");
    },
  }, t("copy"));
  return [h("code", {}, text), button];
}

function sourceOf(block) {
  const code = h("pre", {}, t("loading"));
  const details = h("details", {}, h("summary", {}, t("source")), code);
  details.addEventListener("toggle", async () => {
    try {
      const found = await source(state.id, block.row);
      code.textContent = found.html + (found.cut ? " …" : "");
    } catch (error) {
      code.textContent = error.message;
    }
  }, { once: true });
  return details;
}

/** Buttons that say what the block, or the cell, is. */
function teacher() {
  const texts = chosenTexts();
  if (texts.first >= texts.stop) return h("p", { class: "teach" }, t("nothing_to_mark"));
  const said = markOf(texts);
  const button = (as, act) =>
    h("button", { "data-as": as, "aria-pressed": String(said?.as === as), onclick: act }, t(`as_${as}`));
  const name = h("input", { id: "field-name", maxlength: 60, placeholder: t("field_name"),
    "aria-label": t("field_name"), value: said?.name ?? state.cell?.column ?? "" });
  const form = h("form", {
    hidden: said?.as !== "field",
    onsubmit: (event) => {
      event.preventDefault();
      if (name.value.trim()) mark(texts, { as: "field", name: name.value.trim() });
    },
  }, name, h("button", {}, t("set")));
  return h("div", { class: "teach", role: "group", "aria-label": t("teach") },
    h("span", {}, t("teach")),
    button("content", () => mark(texts, { as: "content" })),
    button("noise", () => mark(texts, { as: "noise" })),
    button("field", () => {
      form.hidden = false;
      name.focus();
    }),
    form,
    said ? h("button", { class: "plain", onclick: () => mark(texts, null) }, t("unmark")) : null);
}

const head = (words, about) =>
  h("header", {},
    h("span", { class: "chip" }, words),
    h("span", { class: "small" }, about.filter(Boolean).join(" · ")),
    markOf(chosenTexts()) ? h("span", { class: "chip" }, t("marked")) : null,
    h("button", { class: "plain close", onclick: () => choose(null, "inspector") }, t("close")));

const list = (facts) =>
  h("dl", { class: "facts" }, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));

/** One cell of a record: its words, its column, and what the user says it is. */
function ofCell({ text, url, column, kind, xpath, record }) {
  return [
    head(`${t("cell")} · ${column}`, [kind, t("record_n", { n: numeral(record + 1) })]),
    h("blockquote", { dir: "auto" }, (text || url || "").slice(0, 600)),
    list([[t("xpath"), copyable(xpath)]]),
    teacher(),
  ];
}

export function render() {
  const panel = $("inspector");
  const number = state.chosen;
  panel.hidden = number === null || !state.view;
  if (panel.hidden) return panel.replaceChildren();
  if (state.cell) return panel.replaceChildren(...ofCell(state.cell));
  const { view } = state;
  const block = view.blocks[number];
  const several = view.results.length > 1;
  const where = block.head ? t("in_head") : boxOfBlock(number) ? "" : t("not_visible");
  const facts = [
    [t("title"), isTitle(block) ? t("title_hint") : ""],
    [t("hidden"), block.hidden || where],
    [t("invisible"), block.invisible],
    [t("xpath"), block.xpath ? copyable(block.xpath) : ""],
  ].filter(([, value]) => value.length);
  const decisions = block.decisions.map((decision, which) =>
    h("div", { class: "decision" },
      h("p", {}, several ? h("b", {}, view.results[which].method) : null, verdict(decision), score(decision)),
      reasons(decision)));
  panel.replaceChildren(
    head(`${t("block")} ${number + 1} / ${view.blocks.length}`, [
      counted(block.words, "words"),
      block.line === null ? "" : `${t("line").toLowerCase()} ${block.line}`,
    ]),
    h("blockquote", { dir: "auto" }, block.text.slice(0, 600)),
    ...decisions,
    list(facts),
    sourceOf(block),
    teacher());
}

export function listen() {
  on("chosen", ({ number }) => {
    render();
    if (number !== null && state.cell) {
      $("live").textContent = `${t("cell")}, ${state.cell.column}: ${(state.cell.text || state.cell.url || "").slice(0, 160)}`;
    } else if (number !== null) {
      const [first] = state.view.blocks[number].decisions;
      const text = state.view.blocks[number].text.slice(0, 160);
      $("live").textContent = `${t(first.kept ? "kept" : "dropped")}: ${text}. ${first.reasons.join("; ")}`;
    }
  });
  on("marked", render);
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || state.chosen === null) return;
    const act = {
      c: () => mark(chosenTexts(), { as: "content" }),
      n: () => mark(chosenTexts(), { as: "noise" }),
      f: () => $("inspector").querySelector('[data-as="field"]')?.click(),
      u: () => mark(chosenTexts(), null),
      Escape: () => choose(null, "keys"),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
