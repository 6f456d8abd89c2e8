// Markdown (CommonMark with tables, as Joeira writes it) as elements.
//
// Nothing here takes text for markup: elements are made one by one, words are text nodes, and only
// web addresses become links. Tags in Markdown count if they carry no attributes and only style.
import { h } from "./dom.js";
import { inline } from "./words.js";

const MAX_DEPTH = 40; // of lists and quotes; deeper ones are shown as paragraphs
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])( +|$)/;
const FENCE = /^( {0,3})(`{3,}|~{3,})([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})(?=\s|$)/;
const RULE = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const QUOTE = /^ {0,3}> ?/;
const UNDERLINE = /^ {0,3}(=+|-+) *$/;

/** Return a document as nodes. */
export const markdown = (source) => blocks(source.replaceAll("\r\n", "\n").split("\n"), 0);

const isBlank = (line) => line.trim() === "";
const indentOf = (line) => line.length - line.trimStart().length;
const interrupts = (line) =>
  HEADING.test(line) || FENCE.test(line) || QUOTE.test(line) || RULE.test(line) || /^ {0,3}([-*+]|1[.)]) +\S/.test(line);

/** Return blocks as nodes; `loose` tells whether blank lines stand between them. */
function blocks(lines, depth) {
  const found = [];
  let [at, blank, loose] = [0, false, false];
  for (; at < lines.length; at += 1) {
    blank ||= isBlank(lines[at]);
    if (isBlank(lines[at])) continue;
    const [block, next] = blockAt(lines, at, depth);
    loose ||= blank && found.length > 0;
    blank = false;
    found.push(block);
    at = next - 1;
  }
  return Object.assign(found, { loose });
}

function blockAt(lines, at, depth) {
  const line = lines[at];
  if (indentOf(line) >= 4) return indented(lines, at);
  if (FENCE.test(line)) return fenced(lines, at);
  if (HEADING.test(line)) return [heading(line), at + 1];
  if (RULE.test(line)) return [h("hr"), at + 1];
  if (depth < MAX_DEPTH && QUOTE.test(line)) return quote(lines, at, depth);
  if (depth < MAX_DEPTH && ITEM.test(line)) return list(lines, at, depth);
  return table(lines, at) ?? paragraph(lines, at);
}

function heading(line) {
  const level = HEADING.exec(line)[1].length;
  const words = line.trim().slice(level).trim();
  const bare = words.replace(/(^|\s)#+$/, "");
  return h(`h${level}`, {}, inline(bare.trim()));
}

function indented(lines, at) {
  let end = at;
  while (end < lines.length && (isBlank(lines[end]) || indentOf(lines[end]) >= 4)) end += 1;
  const code = lines.slice(at, end).map((line) => line.slice(4)).join("\n").trimEnd();
  return [h("pre", {}, h("code", {}, code)), end];
}

function fenced(lines, at) {
  const [, indent, fence] = FENCE.exec(lines[at]);
  const closes = (line) => indentOf(line) < 4 && line.trim().length >= fence.length
    && [...line.trim()].every((sign) => sign === fence[0]);
  let end = at + 1;
  while (end < lines.length && !closes(lines[end])) end += 1;
  const code = lines.slice(at + 1, end).map((line) => line.slice(Math.min(indent.length, indentOf(line))));
  return [h("pre", {}, h("code", {}, code.join("\n"))), end + 1];
}

function quote(lines, at, depth) {
  let end = at;
  while (end < lines.length && QUOTE.test(lines[end])) end += 1;
  const inner = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return [h("blockquote", {}, blocks(inner, depth + 1)), end];
}

function list(lines, at, depth) {
  const first = ITEM.exec(lines[at])[2];
  const belongs = (line) => line !== undefined && !RULE.test(line) && ITEM.exec(line)?.[2].at(-1) === first.at(-1);
  const items = [];
  let [next, blanks, loose] = [at, 0, false];
  while (belongs(lines[next])) {
    loose ||= blanks > 0;
    const [head, indent, mark, space] = ITEM.exec(lines[next]);
    // What belongs to an item is indented as far as its words; far more than that is code.
    const width = indent.length + mark.length + (space.length > 4 || !space ? 1 : space.length);
    const inner = [" ".repeat(Math.max(0, head.length - width)) + lines[next].slice(head.length)];
    for (next += 1, blanks = 0; next < lines.length; next += 1) {
      const line = lines[next];
      if (isBlank(line)) blanks += 1;
      else if (indentOf(line) >= width) {
        for (; blanks; blanks -= 1) inner.push("");
        inner.push(line.slice(width));
      } else if (blanks || ITEM.test(line) || interrupts(line) || isBlank(inner.at(-1))) break;
      else inner.push(line.trimStart()); // goes on with a paragraph
    }
    items.push(blocks(inner, depth + 1));
    loose ||= items.at(-1).loose;
  }
  const number = Number.parseInt(first, 10);
  const tight = (nodes) => nodes.flatMap((node) => (node.localName === "p" ? [...node.childNodes] : [node]));
  const made = items.map((nodes) => h("li", {}, loose ? nodes : tight(nodes)));
  const name = Number.isNaN(number) ? "ul" : "ol";
  return [h(name, { start: name === "ul" || number === 1 ? null : number }, made), next - blanks];
}

function cellsOf(line) {
  const inner = line.trim().replace(/^\|/, "");
  const cells = [""];
  for (let n = 0; n < inner.length; n += 1) {
    if (inner[n] === "\\" && inner[n + 1] === "|") cells[cells.length - 1] += inner[(n += 1)];
    else if (inner[n] === "\\") cells[cells.length - 1] += inner[n] + (inner[(n += 1)] ?? "");
    else if (inner[n] === "|") cells.push("");
    else cells[cells.length - 1] += inner[n];
  }
  if (cells.length > 1 && isBlank(cells.at(-1))) cells.pop();
  return cells.map((cell) => cell.trim());
}

function table(lines, at) {
  if (!lines[at].includes("|") || at + 1 >= lines.length || !lines[at + 1].includes("-")) return null;
  const heads = cellsOf(lines[at]);
  const marks = cellsOf(lines[at + 1]);
  if (marks.length !== heads.length || !marks.every((mark) => /^:?-+:?$/.test(mark))) return null;
  const sides = marks.map((mark) => (!mark.endsWith(":") ? null : mark.startsWith(":") ? "center" : "right"));
  const row = (cells, name) =>
    h("tr", {}, heads.map((_, n) => h(name, { align: sides[n] }, inline(cells[n] ?? ""))));
  let end = at + 2;
  while (end < lines.length && !isBlank(lines[end]) && !interrupts(lines[end])) end += 1;
  const body = lines.slice(at + 2, end).map((line) => row(cellsOf(line), "td"));
  return [h("div", { class: "scroll-x", tabindex: 0, role: "region", "aria-label": heads.join(", ").slice(0, 80) || "table" },
    h("table", {}, h("thead", {}, row(heads, "th")), body.length ? h("tbody", {}, body) : null)), end];
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && !isBlank(lines[end]) && !UNDERLINE.test(lines[end]) && !interrupts(lines[end])) end += 1;
  const words = lines.slice(at, end).map((line) => line.trimStart()).join("\n").trimEnd();
  if (end < lines.length && UNDERLINE.test(lines[end])) {
    return [h(lines[end].includes("=") ? "h1" : "h2", {}, inline(words)), end + 1];
  }
  return [h("p", {}, inline(words)), end];
}
