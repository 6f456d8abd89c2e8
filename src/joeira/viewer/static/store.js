// What is being looked at, and who wants to know when it changes.

const KEY = "joeira-marks"; // what was marked and not saved, by the fingerprint of its page
const MAX_REMEMBERED = 20; // pages

export const state = {
  id: null, // of the page
  view: null, // all that the service said about it
  wish: { method: "", other: "", segments: "", records: "" }, // names of methods
  formats: {}, // by name: suffix and media type of files
  exports: [], // names of what a table can be saved as
  hasBrowser: false, // whether the service can draw a page with its styles
  layer: "content",
  plot: "score",
  chosen: null, // number of a block
  cell: null, // a cell within it, where a single one was chosen: {first, stop, row, text, ...}
  marks: new Map(), // "first:stop" of texts -> {first, stop, row, as, name}
};

const bus = new EventTarget();
export const on = (name, hear) => bus.addEventListener(name, (event) => hear(event.detail));
export const tell = (name, detail) => bus.dispatchEvent(new CustomEvent(name, { detail }));

/** Choose a block, or a cell of it; `from` says where, so that no one scrolls under the user's hand. */
export function choose(number, from, cell = null) {
  state.chosen = number;
  state.cell = cell;
  tell("chosen", { number, from });
}

/** Return what is chosen as texts of the page: a cell, else a block. */
export const chosenTexts = () => state.cell ?? state.view.blocks[state.chosen];

/** Return whether a block is dropped as content and yet stands above it: the result has a title. */
export function isTitle(block) {
  const [result, other] = state.view.results;
  if (other || !result.title || block.head || block.decisions[0].kept) return false;
  return plain(block.text) === plain(result.title);
}

const plain = (text) => text.replace(/\s+/g, " ").trim().toLowerCase();

// Marks belong to texts: blocks are numbered anew with every pair of methods.
const nameOf = ({ first, stop }) => `${first}:${stop}`;
const covers = (mark, { first, stop }) => mark.row === undefined && mark.first <= first && stop <= mark.stop;
export const markOf = (texts) =>
  state.marks.get(nameOf(texts)) ?? [...state.marks.values()].find((each) => covers(each, texts));

/** Say what some texts are, or take it back. */
export function mark(texts, said) {
  const { first, stop } = texts;
  if (first >= stop) return; // an image has no words to mark
  const row = texts === state.cell ? texts.row : undefined;
  const old = markOf(texts);
  if (old) state.marks.delete(nameOf(old));
  if (said) state.marks.set(nameOf(texts), { first, stop, row, ...said });
  remember();
  tell("marked");
}

function stored() {
  try {
    return new Map(JSON.parse(localStorage.getItem(KEY) ?? "[]"));
  } catch {
    return new Map();
  }
}

/** Keep the marks of this page until they are saved, also when the window is closed. */
function remember() {
  const all = stored();
  all.delete(state.view.fingerprint);
  if (state.marks.size) all.set(state.view.fingerprint, [...state.marks.values()]);
  try {
    localStorage.setItem(KEY, JSON.stringify([...all].slice(-MAX_REMEMBERED)));
  } catch {
    // No room, or not allowed: they last as long as the window.
  }
}

/** Forget what was remembered of this page: it is saved now. */
export function forget() {
  const all = stored();
  all.delete(state.view.fingerprint);
  localStorage.setItem(KEY, JSON.stringify([...all]));
}

/** Take up the marks that were left on a page. */
export function recall(fingerprint) {
  const marks = stored().get(fingerprint) ?? [];
  state.marks = new Map(marks.map((each) => [nameOf(each), each]));
}
