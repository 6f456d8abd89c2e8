// How pages come in: dropped, chosen, pasted, fetched, or picked from a shelf of many.
import { $, h } from "./dom.js";
import { number as numeral, t } from "./language.js";

const MAX_CARDS = 120; // at once; a filter finds the others
let all = []; // the pages that the viewer was started with
let open = null;
let most = MAX_CARDS;

const card = ({ id, title, name }) =>
  h("li", {}, h("button", { onclick: () => open(() => ({ id })) },
    h("b", { dir: "auto" }, title), title === name ? null : h("span", {}, name)));

/** Return the pages whose title or name has every word that was typed. */
function wanted() {
  const words = $("page-filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter(({ title, name }) => {
    const text = `${title} ${name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function list() {
  const pages = wanted();
  $("given").replaceChildren(...pages.slice(0, most).map(card));
  $("given-more").hidden = pages.length <= most;
  $("given-count").textContent = all.length > 1
    ? t("pages_of", { n: numeral(pages.length), all: numeral(all.length) }) : "";
}

export function shelves(start, act) {
  open = act;
  all = start.pages;
  $("examples").replaceChildren(...start.examples.map(card));
  $("given-shelf").hidden = !all.length;
  if (all.length) $("ways").before($("given-shelf")); // what was asked for comes first
  $("start").classList.toggle("with-pages", all.length > 0);
  $("page-filter").parentElement.hidden = all.length < 2;
  $("fetch-form").hidden = !start.allow_fetch;
  list();
}

export const translate = () => list();

// From page to page -----------------------------------------------------------------------------

let current = null;

/** Say which of the pages is shown, and let go to its neighbours. */
export function place(id) {
  current = id;
  const pages = wanted();
  const at = pages.findIndex((page) => page.id === id);
  $("pager").hidden = at < 0 || pages.length < 2;
  $("page-number").textContent = `${numeral(at + 1)} / ${numeral(pages.length)}`;
  $("previous").disabled = at <= 0;
  $("next").disabled = at === pages.length - 1;
}

function turn(by) {
  const pages = wanted();
  const next = pages[pages.findIndex((page) => page.id === current) + by];
  if (current && next && !$("pager").hidden) open(() => ({ id: next.id }));
}

/** Hear of new pages; `open` is given a function that sends one and returns its id. */
export function listen(act, api) {
  open = act;
  const take = async (file) => {
    if (file) open(async () => api.send(await file.arrayBuffer(), file.name));
  };
  $("file").addEventListener("change", (event) => {
    take(event.target.files[0]);
    event.target.value = "";
  });
  $("paste-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const html = $("paste").value;
    if (html.trim()) open(() => api.send(html, "pasted.html"));
  });
  $("fetch-form").addEventListener("submit", (event) => {
    event.preventDefault();
    open(() => api.fetchPage($("address").value));
  });
  $("page-filter").addEventListener("input", () => {
    most = MAX_CARDS;
    list();
  });
  $("given-more").addEventListener("click", () => {
    most += MAX_CARDS;
    list();
  });
  $("previous").addEventListener("click", () => turn(-1));
  $("next").addEventListener("click", () => turn(1));
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("input, textarea, select, dialog");
    const by = { j: 1, k: -1 }[event.key];
    if (!by || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    turn(by);
  });
  // A file may be dropped anywhere: missing the field by an inch should not leave the viewer.
  for (const name of ["dragenter", "dragover"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      document.body.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) {
    document.addEventListener(name, (event) => {
      event.preventDefault();
      if (name === "drop" || !event.relatedTarget) document.body.classList.remove("over");
    });
  }
  document.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    const html = event.dataTransfer.getData("text/html");
    if (file) take(file);
    else if (html) open(() => api.send(html, "dropped.html"));
  });
}
