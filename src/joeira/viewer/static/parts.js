// The parts of a page as lists: its segments, and the posts of a thread.
import { h, harmless } from "./dom.js";
import { counted, t } from "./language.js";
import { state } from "./store.js";
import { picker } from "./choices.js";
import { hueOf, point } from "./stage.js";

const segment = ({ label, score, words, text, xpath, rows }) =>
  h("li", {},
    h("button", { title: xpath, onclick: () => point(rows) },
      h("span", { class: "segment-label", style: { "--hue": hueOf(label) } }, label ?? "·"),
      h("span", { class: "num" }, score === null ? "" : score.toFixed(2)),
      h("span", { class: "segment-text" },
        h("span", { class: "words", dir: "auto" }, text),
        h("small", {}, counted(words, "words")))));

export function segments() {
  const { parts, reason } = state.view.segments;
  const choice = h("div", { class: "panel-tools" }, picker("segments", "part-method"));
  if (!parts.length) return [choice, h("p", { class: "empty" }, t("no_segments"), " ", h("span", { lang: "en" }, reason))];
  return [choice, h("ol", { class: "segments" }, parts.map(segment))];
}

function post({ position, author, author_url: address, date, date_text: shown, text, depth, is_question: asks, is_answer: answers, row }) {
  const profile = address ? harmless(address) : null;
  const name = author ?? t("no_author");
  const kind = asks ? t("question") : answers ? t("answer") : null;
  return h("li", { style: { "--depth": Math.min(depth, 8) } },
    h("header", {},
      h("b", { dir: "auto" }, profile ? h("a", { href: profile, target: "_blank", rel: "noopener noreferrer" }, name) : name),
      h("span", {}, shown || date || ""),
      kind ? h("span", { class: "chip" }, kind) : null,
      h("button", { class: "plain push", onclick: () => point([row]), "aria-label": `#${position}, ${t("show_on_page")}` }, `#${position}`)),
    h("div", { class: "post-text", dir: "auto" }, text));
}

export const posts = () => [h("ol", { class: "posts" }, state.view.posts.map(post))];
