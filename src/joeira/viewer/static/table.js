// Records as a table that can be sorted, whose columns can be renamed and left out, and which can be
// saved as rows or as selectors. A row knows where on the page its record is.
import { download, h, harmless } from "./dom.js";
import { number as numeral, t } from "./language.js";
import { state } from "./store.js";
import { exportTable } from "./api.js";
import { point } from "./stage.js";

const ADDRESSES = new Set(["link", "image"]);
const NUMERIC = new Set(["number", "price"]);
const SUFFIXES = { csv: ".csv", wrapper: ".wrapper.json" };
const given = new Map(); // by page, method and table: the names of its columns, null for those left out

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

/** Return a table with its buttons; `named` makes the name of a file from its ending. */
export function recordTable(table, number, named) {
  const { columns } = table;
  const key = `${state.view.fingerprint} ${state.wish.records} ${number}`;
  const names = given.get(key) ?? columns.map((column) => column.name);
  const isChanged = () => names.some((name, at) => name !== columns[at].name);
  let order = { column: -1, down: false };
  let editing = false;
  const note = h("p", { class: "table-note", role: "status" });
  const head = h("thead");
  const body = h("tbody");

  const row = (record) =>
    h("tr", { onclick: (event) => event.target.closest("a") || point(record.rows) },
      record.cells.map((cell, at) => (names[at] === null && !editing ? null : shownCell(cell, columns[at].kind))));

  function sortBy(at) {
    order = { column: at, down: order.column === at ? !order.down : false };
    fill();
  }

  const sortHead = (column, at) =>
    h("th", { scope: "col", "aria-sort": at !== order.column ? "none" : order.down ? "descending" : "ascending" },
      h("button", { title: column.css ?? column.xpath ?? "", onclick: () => sortBy(at) },
        names[at], h("small", {}, column.kind)));

  function keep(at, name) {
    names[at] = name;
    given.set(key, names);
  }

  function editHead(column, at) {
    const input = h("input", { value: names[at] ?? column.name, maxlength: 100, size: 10, disabled: names[at] === null,
      "aria-label": t("column_name", { name: column.name }),
      onchange: () => keep(at, input.value.trim() || column.name) });
    const drop = h("button", { class: "plain", "aria-label": t(names[at] === null ? "keep_column" : "drop_column", { name: names[at] ?? column.name }),
      onclick: () => {
        keep(at, names[at] === null ? column.name : null);
        fill();
        head.querySelectorAll("th button")[at]?.focus();
      } }, t(names[at] === null ? "keep_word" : "drop_word"));
    return h("th", { scope: "col", class: names[at] === null ? "left-out" : "" }, h("div", { class: "edit" }, input, drop));
  }

  function fill() {
    const heads = columns.map((column, at) =>
      (editing ? editHead(column, at) : names[at] === null ? null : sortHead(column, at)));
    head.replaceChildren(h("tr", {}, heads));
    const { column, down } = order;
    const records = column < 0 ? table.records : sorted(table.records, column, columns[column].kind, down);
    body.replaceChildren(...records.map(row));
  }

  async function save(form) {
    const name = named(number ? `.${number + 1}${SUFFIXES[form] ?? `.${form}.py`}` : SUFFIXES[form] ?? `.${form}.py`);
    try {
      const wish = { records: state.wish.records, table: number, columns: names, to: form };
      const { text, lost } = form === "csv" && !isChanged() ? { text: table.csv } : await exportTable(state.id, wish);
      const type = { csv: "text/csv", wrapper: "application/json" }[form] ?? "text/x-python";
      download(name, text, type);
      note.textContent = lost?.length ? t("lost_columns", { names: lost.join(", ") }) : t("downloaded_file", { name });
    } catch (error) {
      note.textContent = error.message;
    }
  }

  const edit = h("button", { class: "plain", "data-edit": number, "aria-pressed": "false", onclick: () => {
    editing = !editing;
    edit.setAttribute("aria-pressed", String(editing));
    edit.textContent = t(editing ? "columns_done" : "edit_columns");
    fill();
  } }, t("edit_columns"));
  const forms = state.exports.filter((form) => form !== "csv");
  const menu = h("details", { class: "menu", "data-wrapper": number }, h("summary", {}, t("wrapper")),
    h("div", {}, h("p", {}, t("wrapper_hint")), forms.map((form) =>
      h("button", { "data-form": form, onclick: () => save(form) }, form === "wrapper" ? t("wrapper_file") : form))));
  fill();
  const rows = t("table_n", { n: number + 1, rows: numeral(table.records.length + table.left_out) });
  return h("section", {},
    h("div", { class: "panel-tools table-head" },
      h("b", {}, rows),
      h("span", { class: "push" }, edit),
      h("button", { "data-csv": number, onclick: () => save("csv") }, "CSV"), menu,
      h("p", { lang: "en" }, table.reason), note),
    h("div", { class: "table-scroll", tabindex: 0, role: "region", "aria-label": rows },
      h("table", { class: "records" }, head, body)),
    table.left_out ? h("p", {}, t("more_rows", { n: numeral(table.left_out) })) : null);
}
