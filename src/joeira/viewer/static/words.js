// The words of Markdown: text, styled text, code, links, and boxes for images.
import { h, harmless } from "./dom.js";

const STYLES = new Set("strong b em i del s sub sup code kbd samp mark u small q cite var".split(" "));
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };
const EMPHASIS = { "*": ["em", "strong"], _: ["em", "strong"], "~": ["del", "del"] };
const MAX_OPEN = 100; // beginnings of emphasis that wait for an end

/** Return words as nodes. */
export function inline(text) {
  const parts = []; // nodes, and what may turn out to begin or end something
  const open = { "[": [] }; // where brackets and tags stand in `parts`
  const missing = new Set(); // lengths of runs of backticks that have no partner
  let words = "";
  let at = 0;
  const put = (...more) => {
    if (words) parts.push(document.createTextNode(words));
    words = "";
    parts.push(...more);
  };
  const begin = (name, source) => {
    put({ source });
    (open[name] ??= []).push(parts.length - 1);
    return source.length;
  };
  const within = (from) => {
    put();
    for (const places of Object.values(open)) while (places.at(-1) >= from) places.pop();
    return emphasize(parts.splice(from));
  };
  const rules = {
    "\\": () => {
      const next = text[at + 1];
      if (next === "\n") put(h("br"));
      else words += /[!-/:-@[-`{-~]/.test(next ?? "") ? next : `\\${next ?? ""}`;
      return 2;
    },
    "\n": () => {
      if (words.endsWith("  ")) {
        words = words.trimEnd();
        put(h("br"));
      } else words += "\n";
      return 1;
    },
    "`": () => {
      const { length } = /^`+/.exec(text.slice(at, at + 1000))[0];
      const closing = new RegExp(`(?<!\`)\`{${length}}(?!\`)`, "g");
      closing.lastIndex = at + length;
      const end = missing.has(length) ? undefined : closing.exec(text)?.index;
      if (end === undefined) {
        missing.add(length);
        words += "`".repeat(length);
        return length;
      }
      const code = text.slice(at + length, end).replaceAll("\n", " ");
      const padded = code.startsWith(" ") && code.endsWith(" ") && code.trim();
      put(h("code", {}, padded ? code.slice(1, -1) : code));
      return end + length - at;
    },
    "&": () => {
      const found = /^&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]+));/.exec(text.slice(at, at + 12));
      const code = found && !found[3] ? Number.parseInt(found[1] ?? found[2], found[1] ? 10 : 16) : 0;
      const sign = code > 0 && code < 0x110000 ? String.fromCodePoint(code) : ENTITIES[found?.[3]];
      words += sign ?? "&";
      return sign === undefined ? 1 : found[0].length;
    },
    "<": () => {
      const [tag, closing, name] = /^<(\/?)([a-z]+) ?\/?>/i.exec(text.slice(at, at + 12)) ?? [];
      const known = name?.toLowerCase();
      const [address] = /^<https?:[^\s<>]+>/i.exec(text.slice(at, at + 3000)) ?? [];
      if (known === "br") put(h("br"));
      else if (STYLES.has(known) && !closing) return begin(known, tag);
      else if (STYLES.has(known) && open[known]?.length) put(h(known, {}, within(open[known].at(-1)).slice(1)));
      else if (address) put(link(address.slice(1, -1), [address.slice(1, -1)]));
      else return rules.other();
      return (tag ?? address).length;
    },
    "!": () => (text[at + 1] === "[" ? begin("[", "![") : rules.other()),
    "[": () => begin("[", "["),
    "]": () => {
      const from = open["["].pop();
      const target = from === undefined ? null : targetOf(text, at + 1);
      if (!target) return rules.other();
      const [bracket, ...inner] = within(from);
      if (bracket.textContent === "![") put(h("span", { class: "image" }, h("span", {}, inner).textContent));
      else put(link(target.address, inner));
      return target.end - at;
    },
    other: () => {
      words += text[at];
      return 1;
    },
  };
  rules["*"] = rules._ = rules["~"] = () => {
    const run = runAt(text, at);
    put(run);
    return run.size;
  };
  while (at < text.length) at += (text[at] in rules ? rules[text[at]] : rules.other)();
  put();
  return emphasize(parts);
}

/** Return a run of stars, underscores or tildes, and whether it can open or close emphasis. */
function runAt(text, at) {
  let end = at;
  while (text[end] === text[at]) end += 1;
  const space = (sign) => sign === undefined || /\s/.test(sign);
  const mark = (sign) => sign !== undefined && /[\p{P}\p{S}]/u.test(sign);
  const [before, after] = [text[at - 1], text[end]];
  const left = !space(after) && (!mark(after) || space(before) || mark(before));
  const right = !space(before) && (!mark(before) || space(after) || mark(after));
  const word = text[at] === "_"; // does nothing inside a word
  return { sign: text[at], size: end - at, opens: left && (!word || !right || mark(before)),
    closes: right && (!word || !left || mark(after)) };
}

/** Read "(address "title")" and return the address and where it ends. */
function targetOf(text, at) {
  const found = /^\(\s*(?:<([^<>\n]*)>|((?:[^\s()\\]|\\.)*))(?:\s+"(?:[^"\\]|\\.)*")?\s*\)/.exec(text.slice(at, at + 5000));
  return found && { address: (found[1] ?? found[2]).replace(/\\([!-/:-@[-`{-~])/g, "$1"), end: at + found[0].length };
}

function link(address, inner) {
  const href = harmless(address);
  return href
    ? h("a", { href, target: "_blank", rel: "noopener noreferrer", title: href }, inner)
    : h("span", { class: "nowhere", title: address }, inner);
}

// Emphasis: which runs of stars, underscores and tildes belong together.

/** Return parts as nodes: runs become elements around what lies between them, or what they are. */
function emphasize(parts) {
  const out = [];
  const openers = []; // runs in `out` that still wait for a partner
  for (const part of parts) {
    if (part.sign === undefined) {
      out.push(part);
      continue;
    }
    if (part.closes) close(part, out, openers);
    if (part.size > 0) {
      out.push(part);
      if (part.opens) openers.push(part);
      if (openers.length > MAX_OPEN) openers.shift();
    }
  }
  return out.map(asNode);
}

/** Use up a closing run: the nearest opener of its sign takes what lies between. */
function close(run, out, openers) {
  while (run.size > 0) {
    const at = openers.findLastIndex((opener) => fits(opener, run));
    if (at < 0) return;
    const opener = openers[at];
    const size = run.sign === "~" ? run.size : Math.min(2, run.size, opener.size);
    const place = out.lastIndexOf(opener);
    const inner = out.splice(place + 1).map(asNode);
    openers.length = at + 1; // what was opened in between stays what it is
    out.push(h(EMPHASIS[run.sign][size - 1], {}, inner));
    opener.size -= size;
    run.size -= size;
    if (opener.size === 0) {
      out.splice(place, 1);
      openers.pop();
    }
  }
}

function fits(opener, run) {
  if (opener.sign !== run.sign || opener.size === 0) return false;
  if (run.sign === "~") return opener.size === run.size && run.size <= 2;
  // CommonMark's rule of three: "*a**b*" is one emphasis, not two.
  const both = opener.closes || run.opens;
  return !both || (opener.size + run.size) % 3 !== 0 || (opener.size % 3 === 0 && run.size % 3 === 0);
}

function asNode(part) {
  if (part.sign !== undefined) return document.createTextNode(part.sign.repeat(part.size));
  return part.source === undefined ? part : document.createTextNode(part.source);
}
