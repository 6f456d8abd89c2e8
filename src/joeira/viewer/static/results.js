// The panels of the result.
import { $, copy, download, h } from "./dom.js";
import { choose, isTitle, on, state, tell } from "./store.js";
import { number as numeral, percent, t } from "./language.js";
import { isOnPage, point } from "./stage.js";
import { picker } from "./choices.js";
import { markdown as rendering } from "./markdown.js";
import { comparison, hasTwo } from "./compare.js";
import { recordTable } from "./table.js";
import { posts, segments } from "./parts.js";

const PANELS = {
  markdown, text, json, segments, records, posts, metadata, blocks, compare: () => comparison(state.view),
};
const SHOWN = { compare: hasTwo, posts: () => state.view.posts.length > 0 }; // what not every page has
const MAX_LISTED = 400;
const MAX_RENDERED = 400_000; // characters of Markdown
let tab = "markdown";
let rendered = true;
let filter = "all";

const main = () => state.view.results[0];
const named = (suffix) => `${state.view.name.replace(/\.[a-z]+$/i, "") || "page"}${suffix}`;
const fileType = (format) => state.formats[format] ?? { suffix: `.${format}`, media_type: "text/plain" };

/** Buttons above a panel: copy, download and what else there is to choose. */
function tools(content, format, ...others) {
  const { suffix, media_type: type } = fileType(format);
  const take = h("button", {
    class: "plain push",
    onclick: async () => {
      take.textContent = t(await copy(content()) ? "copied" : "not_copied");
    },
  }, t("copy"));
  const save = h("button", { class: "plain", onclick: () => download(named(suffix), content(), type) }, t("save_file"));
  return h("div", { class: "panel-tools" }, ...others, take, save);
}

const nothing = (words, reason) => h("p", { class: "empty" }, words, reason ? h("span", { lang: "en" }, ` (${reason})`) : null);

function text() {
  const { text: found, reason } = main();
  if (!found) return [nothing(t("no_content"), reason)];
  return [tools(() => found, "text"), h("div", { class: "reading", dir: "auto", id: "text-result" }, found)];
}

function markdown() {
  const { markdown: source, reason } = main();
  if (!source) return [nothing(t("no_content"), reason)];
  const choice = (value, label) =>
    h("button", {
      class: "plain", "aria-pressed": String(rendered === value),
      style: { "font-weight": rendered === value ? "600" : "400" },
      onclick: () => {
        rendered = value;
        render();
      },
    }, label);
  const bar = tools(() => source, "markdown", choice(true, t("rendered")), choice(false, t("as_source")));
  if (!rendered) return [bar, h("pre", { class: "source", dir: "auto", id: "markdown-source" }, source)];
  const whole = source.length <= MAX_RENDERED;
  const shown = h("div", { class: "rendered", dir: "auto", id: "markdown-result" },
    rendering(whole ? source : source.slice(0, MAX_RENDERED)));
  orderHeadings(shown);
  return [bar, shown, whole ? "" : h("p", {}, t("cut"))];
}

/** Pages leave out levels of headings; who reads by them should not look for what is not there. */
function orderHeadings(element) {
  let last = 1; // the title of the page, in the bar
  for (const heading of element.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const level = Math.min(Number(heading.localName[1]), last + 1);
    heading.setAttribute("aria-level", level);
    last = level;
  }
}

/** JSON with keys, texts and the rest told apart. */
function json() {
  const source = JSON.stringify(main().json, null, 2);
  const out = h("pre", { class: "source", id: "json-result" });
  if (source.length > 300_000) out.textContent = source;
  else {
    const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(?:true|false|null|-?\d[\d.eE+-]*)\b/g;
    let at = 0;
    for (const found of source.matchAll(token)) {
      const kind = found[2] ? "json-key" : found[1] ? "json-text" : "json-other";
      out.append(source.slice(at, found.index), h("span", { class: kind }, found[1] ?? found[0]), found[2] ?? "");
      at = found.index + found[0].length;
    }
    out.append(source.slice(at));
  }
  return [tools(() => source, "json"), out];
}

function records() {
  const { tables, reason } = state.view.records;
  const choice = h("div", { class: "panel-tools" }, picker("records", "table-method"));
  if (!tables.length) return [choice, nothing(t("no_records"), reason)];
  return [choice, ...tables.map((table, index) => recordTable(table, index, named))];
}

function metadata() {
  const value = (given) => (Array.isArray(given) ? given.join(", ") : String(given));
  const where = (candidate) => [
    h("span", { class: "chip" }, candidate.source, candidate.key ? ` · ${candidate.key}` : ""),
    candidate.confidence === null ? null : `${t("confidence")} ${percent(candidate.confidence)}`,
    isOnPage(candidate.row)
      ? h("button", { class: "plain", onclick: () => point([candidate.row]) }, t("show_on_page"))
      : candidate.xpath ? h("code", {}, candidate.xpath) : null,
  ].filter(Boolean);
  const line = ({ name, value: given, candidates }) => {
    const empty = given === null || given === "" || (Array.isArray(given) && !given.length);
    const [best, ...rivals] = candidates;
    return h("div", { class: empty ? "field none" : "field" },
      h("dt", {}, name),
      h("dd", {},
        h("div", { class: "value", dir: "auto" }, empty ? t("not_given") : value(given)),
        best && !empty ? h("div", { class: "where" }, where(best)) : null,
        rivals.length
          ? h("details", {}, h("summary", {}, t("rivals", { n: rivals.length })),
            h("ul", { class: "rivals" }, rivals.map((rival) =>
              h("li", {}, h("span", { dir: "auto" }, value(rival.value)), h("div", { class: "where" }, where(rival))))))
          : null));
  };
  const [known, unknown] = [[], []];
  for (const field of state.view.metadata) (field.value?.length || field.value > 0 ? known : unknown).push(field);
  return [h("dl", { class: "fields" }, [...known, ...unknown].map(line))];
}

function blocks() {
  const list = h("ol", { class: "blocks", style: { "padding-left": 0 } });
  const wanted = state.view.blocks
    .map((block, number) => [block, number])
    .filter(([block]) => filter === "all" || block.decisions[0].kept === (filter === "kept"));
  let shown = 0;
  const more = h("button", { class: "plain", onclick: () => add() }, t("more_blocks"));
  function add() {
    for (const [block, number] of wanted.slice(shown, shown + MAX_LISTED)) list.append(item(block, number));
    shown += MAX_LISTED;
    more.hidden = shown >= wanted.length;
  }
  add();
  const choice = h("select", { id: "filter", "aria-label": t("blocks"), onchange: (event) => {
    filter = event.target.value;
    render();
  } }, [["all", t("all_blocks")], ["kept", t("kept")], ["dropped", t("dropped")]].map(([value, label]) =>
    h("option", { value, selected: value === filter }, label)));
  const left = state.view.blocks_left_out;
  return [h("div", { class: "panel-tools" }, choice, numeral(wanted.length)), list, more,
    left ? h("p", {}, t("left_out", { n: numeral(left) })) : ""];
}

function item(block, number) {
  const [first] = block.decisions;
  const kind = first.kept ? "kept" : isTitle(block) ? "title" : "dropped";
  return h("li", { style: { "list-style": "none" } },
    h("button", { class: kind, "data-block": number, "aria-current": String(number === state.chosen), title: first.reasons.join("; "),
      onclick: () => choose(number, "list") },
    h("span", { class: "kept-mark" }, t(kind)),
    h("span", { class: "num" }, first.score === null ? "" : first.score.toFixed(2)),
    h("span", { class: "words", dir: "auto" }, block.text.slice(0, 200))));
}

// Tabs ------------------------------------------------------------------------------------------

function counts(name) {
  if (name === "records") return state.view.records.tables.reduce((n, table) => n + table.records.length, 0);
  if (name === "segments") return state.view.segments.parts.length;
  return ["blocks", "posts"].includes(name) ? state.view[name].length : null;
}

export function render() {
  if (!state.view) return;
  const names = Object.keys(PANELS).filter((name) => SHOWN[name]?.() ?? true);
  if (!names.includes(tab)) tab = "markdown";
  $("tabs").replaceChildren(...names.map((name) => {
    const count = counts(name);
    return h("button", {
      class: "tab", role: "tab", id: `tab-${name}`, "aria-selected": String(name === tab), "aria-controls": "panel",
      tabindex: name === tab ? 0 : -1, onclick: () => open(name),
    }, t(name), count === null ? null : h("small", {}, numeral(count)));
  }));
  $("panel").setAttribute("aria-labelledby", `tab-${tab}`);
  $("panel").replaceChildren(...PANELS[tab]());
  $(`tab-${tab}`).scrollIntoView({ block: "nearest", inline: "nearest" });
}

export function open(name) {
  tab = name;
  render();
  $("panel").scrollTop = 0;
  tell("opened", name);
}

export function listen() {
  $("tabs").addEventListener("keydown", (event) => {
    const all = [...$("tabs").children];
    const at = all.findIndex((button) => button.id === `tab-${tab}`);
    const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    open(all[(next + all.length) % all.length].id.slice(4));
    $(`tab-${tab}`).focus();
  });
  const closeMenus = (target) => {
    for (const menu of document.querySelectorAll("details.menu[open]")) menu.open = menu.contains(target);
  };
  document.addEventListener("pointerdown", (event) => closeMenus(event.target));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeMenus(null);
  });
  on("chosen", ({ number }) => {
    for (const button of $("panel").querySelectorAll("[data-block]")) {
      button.setAttribute("aria-current", String(Number(button.dataset.block) === number));
    }
  });
}

