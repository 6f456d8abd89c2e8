// How pages come in: dropped, chosen, pasted, fetched, or picked from a shelf.
import { $, h } from "./dom.js";

const card = (title, note, act) =>
  h("li", {}, h("button", { onclick: act }, h("b", { dir: "auto" }, title), h("span", {}, note)));

export function shelves(start, open) {
  $("examples").replaceChildren(...start.examples.map((page) =>
    card(page.title, page.name, () => open(() => ({ id: page.id })))));
  $("given-shelf").hidden = !start.pages.length;
  $("given").replaceChildren(...start.pages.map((page) =>
    card(page.name, "", () => open(() => ({ id: page.id })))));
  $("fetch-form").hidden = !start.allow_fetch;
}

/** Hear of new pages; `open` is given a function that sends one and returns its id. */
export function listen(open, api) {
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
