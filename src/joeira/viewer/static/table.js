// Records as a table that can be sorted; a row knows where on the page its record is.
import { h, harmless } from "./dom.js";
import { number as numeral, t } from "./language.js";
import { boxOfRows, reveal } from "./stage.js";

const ADDRESSES = new Set(["link", "image"]);
const NUMERIC = new Set(["number", "price"]);

/** Read "1.234,50 €" and "1,234.50" alike: the last mark that two digits at most follow is the point. */
function amount(text) {
  const digits = text.replace(/[^\d.,-]/g, "");
  const point = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  const decimals = point >= 0 && digits.length - point - 1 <= 2;
  const whole = (decimals ? digits.slice(0, point) : digits).replace(/[.,]/g, "");
  return Number.parseFloat(decimals ? `${whole}.${digits.slice(point + 1)}` : whole);
}

function sorted(records, column, kind, down) {
  const value = (record) => record.cells[column]?.text || record.cells[column]?.url || "";
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const order = NUMERIC.has(kind)
    ? (a, b) => amount(value(a)) - amount(value(b))
    : (a, b) => collator.compare(value(a), value(b));
  const isEmpty = (record) => !value(record) || (NUMERIC.has(kind) && Number.isNaN(amount(value(record))));
  const filled = records.filter((record) => !isEmpty(record)).sort(order);
  if (down) filled.reverse();
  return [...filled, ...records.filter(isEmpty)]; // what has no value is last either way
}

function shownCell(cell, kind) {
  if (!cell) return h("td", {}, "");
  const address = cell.url ? harmless(cell.url) : null;
  const words = cell.text || cell.url || "";
  let inner = words.length > 60 ? h("span", { class: "long" }, words) : words;
  if (ADDRESSES.has(kind)) {
    const shown = h("bdi", {}, cell.url ?? words); // its end says more than its beginning
    inner = address
      ? h("a", { class: "address", href: address, target: "_blank", rel: "noopener noreferrer" }, shown)
      : h("span", { class: "address" }, shown);
  }
  return h("td", { class: NUMERIC.has(kind) ? "number" : "", title: cell.xpath, dir: "auto" }, inner);
}

export function recordTable(table) {
  const { columns } = table;
  let order = { column: -1, down: false };
  const body = h("tbody");
  const heads = columns.map((column, index) =>
    h("th", { scope: "col", "aria-sort": "none" },
      h("button", { title: column.css ?? column.xpath ?? "", onclick: () => sortBy(index) },
        column.name, h("small", {}, column.kind))));

  const row = (record) =>
    h("tr", { onclick: () => reveal(boxOfRows(record.rows), true) },
      record.cells.map((cell, index) => shownCell(cell, columns[index].kind)));

  function sortBy(index) {
    order = { column: index, down: order.column === index ? !order.down : false };
    heads.forEach((head, at) =>
      head.setAttribute("aria-sort", at !== index ? "none" : order.down ? "descending" : "ascending"));
    body.replaceChildren(...sorted(table.records, index, columns[index].kind, order.down).map(row));
  }
  body.replaceChildren(...table.records.map(row));
  const left = table.left_out ? h("p", {}, t("more_rows", { n: numeral(table.left_out) })) : null;
  return h("div", { class: "scroll-x" },
    h("table", { class: "records" }, h("thead", {}, h("tr", {}, heads)), body), left);
}
