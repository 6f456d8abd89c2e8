// Puts the parts together: what is opened, which methods are asked, what the bar says.
import * as api from "./api.js";
import { $, h } from "./dom.js";
import { number as numeral, percent, switchLanguage, t, translate } from "./language.js";
import { isTitle, on, recall, state, tell } from "./store.js";
import * as choices from "./choices.js";
import * as gutter from "./gutter.js";
import * as inspector from "./inspector.js";
import * as intake from "./intake.js";
import * as lesson from "./lesson.js";
import * as results from "./results.js";
import * as stage from "./stage.js";

const LEGEND_COLUMNS = 6;
const LAYERS = ["content", "segments", "records", "plain"];
let start = null;
let asked = 0; // number of the last request: an answer that comes late is not shown
let answered = null; // the wish that is shown

// Opening and asking ----------------------------------------------------------------------------

async function open(send) {
  try {
    busy(true);
    const { id } = await send();
    if (id !== state.id) state.chosen = null;
    state.id = id;
    choices.begin();
    await look();
    if (location.hash.slice(1) !== id) location.hash = id;
  } catch (error) {
    complain(error);
  } finally {
    busy(false);
  }
}

async function look() {
  asked += 1;
  const mine = asked;
  const wish = { ...state.wish };
  busy(true);
  try {
    const view = await api.look(state.id, wish);
    if (mine !== asked) return;
    answered = { id: state.id, wish };
    if (view.fingerprint !== state.view?.fingerprint) recall(view.fingerprint);
    state.view = view;
    state.chosen = null;
    state.cell = null;
    $("notice").hidden = true;
    work(true);
    await stage.show(view);
    refresh();
    tell("shown");
    tell("chosen", { number: null, from: "look" });
    const [result] = view.results;
    const words = t("words_kept", { kept: numeral(result.words), all: numeral(result.page_words) });
    $("live").textContent = t("showing", { name: view.name, words, method: result.method });
  } catch (error) {
    if (mine !== asked) return;
    complain(error);
    if (answered?.id === state.id) { // what is shown is still what the methods before made
      state.wish = { ...answered.wish };
      choices.render();
    }
  } finally {
    if (mine === asked) busy(false);
  }
}

function complain(error) {
  if (error.status === 401) return askForToken();
  const known = { 0: "offline", 404: "forgotten" }[error.status];
  const notice = $("notice");
  notice.textContent = known ? t(known) : error.message || String(error);
  notice.hidden = false;
}

function busy(is) {
  document.body.setAttribute("aria-busy", String(is));
  document.body.style.cursor = is ? "progress" : "";
}

// What is seen ----------------------------------------------------------------------------------

function work(is) {
  $("start").hidden = is;
  for (const id of ["work", "switch", "about-page", "choose", "open"]) $(id).hidden = !is;
  document.body.classList.toggle("working", is);
  if (!is) document.title = "Joeira";
}

function refresh() {
  bar();
  intake.place(state.id);
  stylesNote();
  layers();
  choices.render();
  legend();
  results.render();
  inspector.render();
  lesson.render();
  stage.paint();
  gutter.draw();
}

function bar() {
  const { view } = state;
  const [result] = view.results;
  const title = result.title || view.name;
  $("page-title").textContent = title;
  $("page-title").title = title;
  document.title = `${title} – Joeira`;
  $("page-facts").textContent = $("page-facts").title = [
    t("words_kept", { kept: numeral(result.words), all: numeral(result.page_words) }),
    result.confidence === null ? "" : `${t("confidence")} ${percent(result.confidence)}`,
    result.pagetype ? `${t("pagetype")}: ${result.pagetype}` : "",
    view.frame_cut ? t("cut") : "",
    result.reason,
    view.name,
  ].filter(Boolean).join(" · ");
}

function layers() {
  $("layers").replaceChildren(...LAYERS.map((name) =>
    h("label", {},
      h("input", { type: "radio", name: "layer", value: name, checked: name === state.layer,
        onchange: () => setLayer(name) }), t(name))));
}

function setLayer(name) {
  state.layer = name;
  choices.render();
  stage.paint();
  legend();
  if (name === "records") stage.revealRecords();
}

function legend() {
  const { view, layer } = state;
  const entry = (colour, label) => h("li", {}, h("i", { style: { background: colour } }), label);
  const entries = [];
  if (layer === "content" && view.results.length > 1) {
    const [a, b] = view.results.map((result) => result.method);
    entries.push(entry("#fbe9bb", t("kept_by_both")), entry("#bfe6dd", t("only", { method: a })),
      entry("#dfd0f3", t("only", { method: b })), entry("#ddd", t("kept_by_none")));
  } else if (layer === "content") {
    entries.push(entry("#f3d48a", t("kept")), entry("#d5d0c6", t("dropped")));
    if (view.blocks.some(isTitle)) entries.push(entry("#dfe3e8", t("title")));
  } else if (layer === "segments") {
    const labels = new Map();
    for (const part of view.segments.parts) labels.set(part.label, (labels.get(part.label) ?? 0) + 1);
    for (const [label, n] of labels) entries.push(entry(stage.hueOf(label), `${label ?? "·"}${n > 1 ? ` × ${n}` : ""}`));
  } else if (layer === "records") {
    for (const table of view.records.tables) {
      const names = table.columns.slice(0, LEGEND_COLUMNS).map((column) => column.name);
      const more = table.columns.length > LEGEND_COLUMNS ? ` + ${table.columns.length - LEGEND_COLUMNS}` : "";
      entries.push(entry("#d99a2b", `${numeral(table.records.length)} × ${names.join(", ")}${more}`));
    }
    if (!entries.length) entries.push(h("li", {}, t("no_records")));
  }
  $("legend").replaceChildren(...entries);
}

/** What is not loaded is said, and can be seen as a browser draws it, where there is one. */
function stylesNote() {
  const n = state.view.linked_styles;
  $("style-note").hidden = !n;
  $("style-note").replaceChildren(t(n === 1 ? "linked_style" : "linked_styles", { n: numeral(n) }),
    state.hasBrowser ? h("button", { class: "plain", id: "draw", onclick: drawn }, t("draw_page")) : "");
}

async function drawn() {
  busy(true);
  try {
    const { picture, styles } = await api.picture(state.id);
    const all = Math.max(state.view.linked_styles, styles); // a sheet may import others
    $("dialog").replaceChildren(
      h("h2", {}, t("drawn_page")),
      h("p", {}, h("b", {}, t("drawn_styles", { n: numeral(styles), all: numeral(all) })), " ", t("drawn_hint")),
      h("div", { class: "drawing", tabindex: 0, role: "region", "aria-label": t("drawn_page") },
        h("img", { src: picture, alt: state.view.results[0].title || state.view.name })),
      h("form", { method: "dialog" }, h("button", { class: "primary" }, t("close"))));
    $("dialog").className = "wide";
    $("dialog").showModal();
  } catch (error) {
    complain(error);
  } finally {
    busy(false);
  }
}

// Dialogs ---------------------------------------------------------------------------------------

function help() {
  const keys = [["↓ ↑", "key_arrows"], ["c", "key_c"], ["n", "key_n"], ["f", "key_f"], ["u", "key_u"], ["Esc", "key_esc"], ["j k", "key_pages"]];
  $("dialog").className = "";
  $("dialog").replaceChildren(
    h("h2", {}, `Joeira ${start?.version ?? ""}`), h("p", {}, t("help_text")),
    h("dl", {}, keys.map(([key, about]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, t(about))])),
    h("form", { method: "dialog" }, h("button", { class: "primary" }, t("close"))));
  $("dialog").showModal();
}

function askForToken() {
  $("dialog").className = "";
  const input = h("input", { type: "password", autocomplete: "off", "aria-label": t("token") });
  $("dialog").replaceChildren(
    h("h2", {}, t("needs_token")),
    h("form", { method: "dialog", onsubmit: () => {
      api.useToken(input.value);
      begin();
    } }, input, " ", h("button", { class: "primary" }, t("go"))));
  $("dialog").showModal();
}

// Light, dark, language, phone ------------------------------------------------------------------

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  if (state.view) results.render();
}

function preferredTheme() {
  const saved = localStorage.getItem("joeira-theme");
  return saved ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function showPane(name) {
  $("work").dataset.pane = name;
  for (const button of $("switch").children) {
    button.setAttribute("aria-pressed", String(button.dataset.pane === name));
  }
}

function listen() {
  // First, so that what the others measure is there to be seen.
  on("chosen", ({ number, from }) => {
    if (number !== null && from !== "page") showPane("page");
  });
  on("reveal", () => showPane("page"));
  for (const part of [choices, stage, gutter, inspector, lesson, results]) part.listen();
  intake.listen(open, api);
  on("wished", async (key) => {
    await look();
    if (key === "other" && state.wish.other) results.open("compare");
  });
  $("styles").addEventListener("change", (event) => {
    stage.useStyles(event.target.checked);
    stage.remeasure();
  });
  $("home").addEventListener("click", () => {
    location.hash = "";
  });
  // The page is in the address: reloading keeps it, and going back goes back.
  addEventListener("hashchange", () => {
    const id = location.hash.slice(1);
    if (!id) work(false), intake.place(null);
    else if (id !== state.id || !document.body.classList.contains("working")) open(() => ({ id }));
  });
  $("open").addEventListener("click", () => $("home").click());
  $("help").addEventListener("click", help);
  $("theme").addEventListener("click", () => {
    const name = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    localStorage.setItem("joeira-theme", name);
    setTheme(name);
  });
  $("language").addEventListener("click", () => {
    switchLanguage();
    sayLanguage();
    intake.translate();
    if (state.view) refresh();
  });
  for (const button of $("switch").children) button.addEventListener("click", () => showPane(button.dataset.pane));
}

async function begin() {
  try {
    start = await api.start();
  } catch (error) {
    return complain(error);
  }
  state.formats = start.formats;
  state.exports = start.exports;
  state.hasBrowser = start.has_browser;
  choices.offer(start);
  intake.shelves(start, open);
  const id = location.hash.slice(1) || (start.pages.length === 1 ? start.pages[0].id : "");
  if (id) await open(() => ({ id }));
}

/** The name of a button begins with what is written on it. */
function sayLanguage() {
  $("language").textContent = t("other_language");
  $("language").setAttribute("aria-label", `${t("other_language")}: ${t("switch_language")}`);
  $("home").setAttribute("aria-label", `Joeira: ${t("home")}`);
}

setTheme(preferredTheme());
translate();
sayLanguage();
listen();
begin();
