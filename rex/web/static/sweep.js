// The page of a sweep: its runs as a table, sorted by what somebody clicks on.

import { $, make } from "./dom.js";
import { byValue, sortable } from "./sorting.js";
import { windowed } from "./window.js";

const SHOWN = 0;    // of a cell
const VALUE = 1;    // what it is sorted by
const box = $("#runs .window");
const { columns, rows } = JSON.parse(box.dataset.table);
const order = Array.from({ length: rows }, (_, row) => row);

$("thead", box).append(make("tr", {}, ...columns.map(({ title, of, is_number: isNumber }, at) => {
  const head = make("th", { scope: "col", className: isNumber ? "number" : "", title: of ? `${title} of ${of}` : title });
  head.dataset.sort = String(at);
  head.append(make("span", { className: "quiet of" }, of || "\u00a0"), make("button", { type: "button" }, title));
  return head;
})));

const table = windowed(box, (index) => {
  const row = order[index];
  return make("tr", {}, ...columns.map(({ cells, hrefs, is_number: isNumber }, at) => {
    const shown = cells[row][SHOWN];
    return make(at ? "td" : "th", { className: isNumber ? "number" : "", title: shown, ...(at ? {} : { scope: "row" }) },
      hrefs?.[row] ? make("a", { href: hrefs[row] }, shown) : shown);
  }));
});

function sort() {
  const { key, sign } = heads.order();
  const { cells } = columns[Number(key)];
  order.sort((one, two) => byValue(cells[one][VALUE], cells[two][VALUE], sign) || one - two);
  table.show(rows);
  history.replaceState(null, "", `#sort=${heads.text()}`);
}

const heads = sortable(box, sort);
heads.set("1");
heads.set(new URLSearchParams(location.hash.slice(1)).get("sort") ?? "");
sort();
