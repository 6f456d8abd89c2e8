// The page, and what is drawn over it.
//
// The page sits in a frame in which nothing runs. This side measures where its texts are, colours
// them through attributes, and draws boxes on a layer above. Clicks are heard on that layer, too:
// the frame itself never has to react to anything.
import { $, h, showIn } from "./dom.js";
import { choose, isTitle, on, state, tell } from "./store.js";
import { t } from "./language.js";

const HUES = {
  main: "#99610a", title: "#9a3b26", navigation: "#2b66c4", header: "#57708a", footer: "#6b6b6b",
  sidebar: "#7a4fb0", related: "#1f7a6d", comments: "#4d7f2c", form: "#b0447c", advertisement: "#c0392b",
};
const OTHER_HUES = ["#8a6d3b", "#37757f", "#8a3b6d", "#5d6b2f"];
const EDGE = 5;
const LABEL = 110; // room that a label takes beside a box
const SMALLEST = 4; // what is smaller is there for programs, not for readers
const MARK_HUES = { content: "#3f7a34", noise: "#a3352c", field: "#2b66c4" };

let texts = []; // by block: the elements of its texts
let rows = new Map(); // by row: the element
let cells = new Map(); // by row: a cell of a record
let shown = null; // id of the page
let unplaced = false; // whether the page was opened while it could not be seen

export const hueOf = (label) =>
  HUES[label] ?? OTHER_HUES[[...String(label)].reduce((sum, c) => sum + c.codePointAt(0), 0) % 4];

const inside = () => $("frame").contentDocument;

/** Show a page; the same page again, by another method, stays where it was scrolled to. */
export async function show(view) {
  const isNew = view.id !== shown;
  const scrolled = isNew ? 0 : $("stage").scrollTop;
  shown = view.id;
  await showIn($("frame"), view.frame);
  texts = [];
  rows = new Map();
  for (const element of inside().querySelectorAll("[data-r]")) {
    rows.set(Number(element.dataset.r), element);
    if (element.dataset.b !== undefined) (texts[Number(element.dataset.b)] ??= []).push(element);
  }
  cells = new Map(cellsOf(view).map((cell) => [cell.row, cell]));
  useStyles($("styles").checked);
  measure();
  paint();
  unplaced = isNew && isAway();
  $("stage").scrollTop = isNew ? topOfContent() : scrolled;
}

/** Return all cells of records, in the order of the page; each says its column and its record. */
const cellsOf = (view) =>
  view.records.tables.flatMap(({ columns, records }) =>
    records.flatMap((record, number) =>
      record.cells.map((cell, at) =>
        cell && { ...cell, column: columns[at].name, kind: columns[at].kind, record: number }).filter(Boolean)))
    .sort((a, b) => a.row - b.row);

/** Return the number of the block that holds a text, or null where it is not listed. */
export function blockOfText(first) {
  const number = state.view.blocks.findIndex((block) => block.first <= first && first < block.stop);
  return number < 0 ? null : number;
}

/** Return how far to scroll to see the content, where it begins below what can be seen. */
function topOfContent() {
  const { blocks } = state.view;
  const isWanted = (block) => block.decisions[0].kept || isTitle(block);
  const first = blocks.findIndex((block, number) => isWanted(block) && boxOfBlock(number));
  const top = first < 0 ? 0 : boxOfBlock(first).top;
  const height = $("stage").clientHeight;
  return top > 0.6 * height ? top - 0.15 * height : 0;
}

/** Make the frame as high as its page: this window scrolls, the frame does not. */
function measure() {
  const frame = $("frame");
  const root = inside()?.documentElement;
  if (!root) return;
  const { scrollTop } = $("stage");
  frame.style.height = "10px";
  const height = Math.max(root.scrollHeight, inside().body?.scrollHeight ?? 0);
  frame.style.height = `${Math.min(Math.max(height, 120), 400_000)}px`;
  $("stage").scrollTop = scrollTop; // it was lost while the frame was low
  tell("measured");
}

export function remeasure() {
  measure();
  paint();
}

export function useStyles(wanted) {
  for (const style of inside()?.querySelectorAll("style:not([data-viewer])") ?? []) {
    if (style.sheet) style.sheet.disabled = !wanted;
  }
}

// Where things are ------------------------------------------------------------------------------

function around(rectangles) {
  const shown = rectangles.filter((r) => r.width > 0 && r.height > 0);
  if (!shown.length) return null;
  const left = Math.min(...shown.map((r) => r.left));
  const top = Math.min(...shown.map((r) => r.top));
  const right = Math.max(...shown.map((r) => r.right));
  const bottom = Math.max(...shown.map((r) => r.bottom));
  return right < 0 || bottom < 0 ? null : { left, top, width: right - left, height: bottom - top };
}

export const boxOfBlock = (number) =>
  around((texts[number] ?? []).map((element) => element.getBoundingClientRect()));

export function boxOfRows(numbers) {
  const elements = numbers.map((row) => rows.get(row)).filter(Boolean);
  return (
    around(elements.map((element) => element.getBoundingClientRect())) ??
    around(elements.flatMap((e) => [...e.querySelectorAll("[data-r]")]).map((e) => e.getBoundingClientRect()))
  );
}

/** Return where what was chosen is: a cell, or a block. */
const boxOfChoice = () => (state.cell ? boxOfRows([state.cell.row]) : boxOfBlock(state.chosen));

/** Return where marked texts are, whatever blocks they are in now. */
function boxOfMark({ first, stop, row }) {
  if (row !== undefined) return boxOfRows([row]);
  const within = ({ block }) => block.first >= first && block.stop <= stop;
  const numbers = state.view.blocks.map((block, number) => ({ block, number })).filter(within);
  return around(numbers.map(({ number }) => boxOfBlock(number)).filter(Boolean)
    .map((b) => ({ ...b, right: b.left + b.width, bottom: b.top + b.height })));
}

export const topOfRow = (row) => {
  const box = rows.get(row)?.getBoundingClientRect();
  return box && (box.width > 0 || box.height > 0) ? box.top : null;
};

/** Return the number of the block at a point of the layer, or null; not all blocks may be listed. */
function blockAt(event) {
  const number = blockUnder(event);
  return number !== null && number < state.view.blocks.length ? number : null;
}

function elementAt(event) {
  const place = $("paper").getBoundingClientRect();
  return inside()?.elementFromPoint(event.clientX - place.left, event.clientY - place.top);
}

/** Return the smallest cell around a point of the layer, where records are shown, or null. */
function cellAt(event) {
  if (state.layer !== "records") return null;
  for (let element = elementAt(event); element; element = element.parentElement) {
    const cell = cells.get(Number(element.dataset.r ?? -1));
    if (cell && cell.stop > cell.first && blockOfText(cell.first) !== null) return cell;
  }
  return null;
}

function blockUnder(event) {
  let element = elementAt(event);
  const text = element?.closest("[data-b]");
  if (text) return Number(text.dataset.b);
  // Beside the words of a block: the nearest element around the point that holds one block only.
  for (let steps = 0; element && steps < 3; steps += 1, element = element.parentElement) {
    const found = new Set([...element.querySelectorAll("[data-b]")].slice(0, 40).map((e) => e.dataset.b));
    if (found.size === 1) return Number([...found][0]);
    if (found.size > 1) return null;
  }
  return null;
}

// What is drawn ---------------------------------------------------------------------------------

function box(kind, place, label, hue) {
  if (!place) return null;
  // What is wider than the paper is drawn to its edge, so that all four sides can be seen.
  const [left, top] = [Math.max(place.left, EDGE), Math.max(place.top, EDGE)];
  const width = Math.min(place.left + place.width, $("paper").clientWidth - EDGE) - left;
  const style = {
    left: `${left}px`, top: `${top}px`, width: `${Math.max(width, 2)}px`,
    height: `${Math.max(place.height - (top - place.top), 2)}px`, ...(hue ? { "--hue": hue } : {}),
  };
  // A label stands where it covers no words: above a box, beside a narrow one.
  const hasRoom = left + width + LABEL < $("paper").clientWidth;
  const narrow = width < 240 && hasRoom ? "narrow" : top < 24 ? "" : "below-label";
  return h("div", { class: `box ${kind} ${narrow}`, style }, label ? h("b", {}, label) : null);
}

export function paint() {
  const { view, layer } = state;
  if (!view || !inside()?.documentElement) return; // it may be loading just now
  const comparing = view.results.length > 1;
  inside().documentElement.dataset.layer = layer === "content" && comparing ? "compare" : layer;
  const said = [...state.marks.values()].filter((each) => each.row === undefined);
  const about = (block) => said.find(({ first, stop }) => first <= block.first && block.stop <= stop)?.as;
  view.blocks.forEach((block, number) => {
    const as = about(block);
    const kept = block.decisions.map((d) => (as === "content" || (d.kept && as !== "noise") ? 1 : 0));
    const word = isTitle(block) && !as ? "title" : kept.join("");
    for (const element of texts[number] ?? []) element.dataset.k = word;
  });
  const boxes = [];
  if (layer === "segments") {
    for (const part of view.segments.parts) {
      const place = boxOfRows(part.rows);
      if (place && Math.min(place.width, place.height) < SMALLEST) continue;
      boxes.push(box("segment", place, part.label ?? "·", hueOf(part.label)));
    }
  }
  if (layer === "records") {
    for (const record of view.records.tables.flatMap((table) => table.records)) {
      boxes.push(box("record", boxOfRows(record.rows)));
      for (const cell of record.cells) if (cell) boxes.push(box("cell", boxOfRows([cell.row])));
    }
  }
  for (const each of state.marks.values()) {
    const label = each.name || t(`as_${each.as}`);
    boxes.push(box("mark", boxOfMark(each), label, MARK_HUES[each.as]));
  }
  if (state.chosen !== null) boxes.push(box("chosen", boxOfChoice()));
  $("overlay").replaceChildren(...boxes.filter(Boolean));
}

/** Return whether what was chosen lies below what can be seen. */
function isCovered() {
  const place = boxOfChoice();
  const bottom = $("paper").getBoundingClientRect().top + (place?.top ?? 0) + (place?.height ?? 0);
  return place !== null && bottom > $("stage").getBoundingClientRect().bottom;
}

/** Bring the first record into view, unless one is well in it already. */
export function revealRecords() {
  const { clientHeight, scrollTop } = $("stage");
  const places = state.view.records.tables.flatMap((table) => table.records.map(({ rows: of }) => boxOfRows(of)));
  const isSeen = ({ top, height }) => top + height > scrollTop && top < scrollTop + 0.6 * clientHeight;
  const drawn = places.filter(Boolean);
  if (!drawn.some(isSeen)) reveal(drawn[0] ?? null);
}

/** Return whether the page is there but not shown, as on a phone that shows the result. */
const isAway = () => $("page-pane").offsetParent === null;

/** Return whether a row of the page can be shown. */
export const isOnPage = (row) => row >= 0 && (isAway() ? rows.has(row) : boxOfRows([row]) !== null);

/** Show where some rows are. */
export function point(numbers) {
  tell("reveal");
  // A pane that has just been opened is measured in the frame after this one.
  requestAnimationFrame(() => requestAnimationFrame(() => reveal(boxOfRows(numbers), true)));
}

/** Bring a box into the middle of the window, and make it flash if asked. */
function reveal(place, flash = false) {
  if (!place) return false;
  const stage = $("stage");
  const offset = $("paper").getBoundingClientRect().top - stage.getBoundingClientRect().top;
  const top = stage.scrollTop + offset + place.top;
  stage.scrollTo({ top: Math.max(0, top - stage.clientHeight / 3), behavior: "smooth" });
  if (flash) {
    const drawn = box("flash", place);
    $("overlay").append(drawn);
    setTimeout(() => drawn.remove(), 1600);
  }
  return true;
}

// What is heard ---------------------------------------------------------------------------------

function stepToCell(by) {
  const all = [...cells.values()].filter((cell) => boxOfRows([cell.row]) && blockOfText(cell.first) !== null);
  const at = all.findIndex((cell) => cell.row === state.cell?.row);
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by];
  if (next) choose(blockOfText(next.first), "keys", next);
}

function step(by) {
  if (state.layer === "records" && cells.size) return stepToCell(by);
  const last = state.view.blocks.length - 1;
  let number = state.chosen === null ? (by > 0 ? -1 : last + 1) : state.chosen;
  do number += by;
  while (number >= 0 && number <= last && !boxOfBlock(number));
  if (number >= 0 && number <= last) choose(number, "keys");
}

export function listen() {
  const overlay = $("overlay");
  let hovered = null;
  overlay.addEventListener("click", (event) => {
    const cell = cellAt(event);
    const number = cell ? blockOfText(cell.first) : blockAt(event);
    if (number !== null) choose(number, "page", cell);
  });
  overlay.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "mouse") return;
    const cell = cellAt(event);
    const number = cell ? null : blockAt(event);
    const under = cell ? `cell ${cell.row}` : number;
    if (under === hovered) return;
    hovered = under;
    overlay.querySelector(".hover")?.remove();
    const place = cell ? boxOfRows([cell.row]) : number === null ? null : boxOfBlock(number);
    const drawn = box("hover", place);
    if (drawn) overlay.append(drawn);
  });
  overlay.addEventListener("pointerleave", () => {
    hovered = null;
    overlay.querySelector(".hover")?.remove();
  });
  $("stage").addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (!by || event.altKey || event.ctrlKey || event.metaKey || !state.view) return;
    event.preventDefault();
    step(by);
  });
  on("chosen", ({ number, from }) => {
    paint();
    if (number === null) return;
    // After the inspector has opened, which takes room from the page.
    requestAnimationFrame(() => {
      if (from !== "page" || isCovered()) reveal(boxOfChoice());
    });
  });
  on("marked", paint);
  // A narrower window breaks lines anew; the frame has to be measured again.
  let width = 0;
  new ResizeObserver(() => {
    if (!state.view || $("paper").clientWidth === width) return;
    width = $("paper").clientWidth;
    if (!width) return; // another pane is shown
    remeasure();
    if (unplaced) $("stage").scrollTop = topOfContent();
    unplaced = false;
  }).observe($("paper"));
}

