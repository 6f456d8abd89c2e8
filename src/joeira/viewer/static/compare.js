// Two methods side by side. Both decided about the same texts, so that nothing has to be guessed:
// a block is kept by both, by one, or by none.
import { h } from "./dom.js";
import { choose, state } from "./store.js";
import { number as numeral, percent, t } from "./language.js";

export function comparison(view) {
  const [a, b] = view.results;
  const words = { 11: 0, 10: 0, "01": 0, "00": 0 };
  for (const block of view.blocks) words[key(block)] += block.words;
  const all = Object.values(words).reduce((sum, n) => sum + n, 0) || 1;
  const part = (name, colour) =>
    h("i", { style: { width: `${(100 * words[name]) / all}%`, background: colour } });
  return [
    h("p", {}, t("agree", { share: percent((words[11] + words["00"]) / all, 1) })),
    h("div", { class: "agreement", "aria-hidden": "true" },
      part("11", "var(--grain-bar)"), part("10", "var(--a)"), part("01", "var(--b)"), part("00", "var(--line)")),
    h("div", { class: "versus" },
      head(a, words[10], ""), head(b, words["01"], "right"), ...lines(view)),
  ];
}

const key = (block) => block.decisions.map((decision) => (decision.kept ? "1" : "0")).join("");

function head(result, own, place) {
  const kept = t("words_kept", { kept: numeral(result.words), all: numeral(result.page_words) });
  const only = t("only", { method: result.method });
  return h("div", { class: `head ${place}` }, result.method,
    h("div", { class: "where" }, `${kept} · ${only}: ${numeral(own)}`));
}

function* lines(view) {
  let dropped = 0; // by both: told as a number, or the page would drown what differs
  const gap = () => h("div", { class: "gap" }, t("same_blocks", { n: numeral(dropped) }));
  for (const [number, block] of view.blocks.entries()) {
    const who = key(block);
    if (who === "00") {
      dropped += 1;
      continue;
    }
    if (dropped) yield gap();
    dropped = 0;
    const same = who === "11" ? "same" : ""; // shortened: what differs is what is looked for
    yield side(number, block, who[0] === "1", who === "10" ? "only-a" : same);
    yield side(number, block, who[1] === "1", who === "01" ? "only-b right" : `${same} right`);
  }
  if (dropped) yield gap();
}

function side(number, block, kept, kind) {
  const act = () => choose(number, "compare");
  const attributes = { class: `cell ${kind} ${kept ? "" : "gone"}`, onclick: act, dir: "auto" };
  return h("div", attributes, h("span", {}, kept ? block.text : t("is_dropped")));
}

export const hasTwo = () => state.view?.results.length > 1;
