// What is being looked at, and who wants to know when it changes.

export const state = {
  id: null, // of the page
  view: null, // all that the service said about it
  wish: { method: "", other: "", segments: "", records: "" }, // names of methods
  formats: {}, // by name: suffix and media type of files
  layer: "content",
  plot: "score",
  chosen: null, // number of a block
  marks: new Map(), // number of a block -> {as, name}
};

const bus = new EventTarget();
export const on = (name, hear) => bus.addEventListener(name, (event) => hear(event.detail));
export const tell = (name, detail) => bus.dispatchEvent(new CustomEvent(name, { detail }));

/** Choose a block; `from` says where, so that no one scrolls under the user's hand. */
export function choose(number, from) {
  state.chosen = number;
  tell("chosen", { number, from });
}

/** Say what a block is, or take it back. */
export function mark(number, said) {
  if (said) state.marks.set(number, said);
  else state.marks.delete(number);
  tell("marked", number);
}

/** Return what the first method decided about a block, or what the user says it is. */
export const decision = (block, which = 0) => block.decisions[which] ?? block.decisions[0];
