// The log of an experiment: rows come in blocks, as they scroll into sight.

import { $, make } from "./dom.js";
import { windowed } from "./window.js";

const page = $("#log");
const BLOCK = Number(page.dataset.block);
const MAX_BLOCKS = 200;   // kept in the page
const FIELDS = ["calls", "path", "task"];
const form = $("form", page);
const text = (name) => form.elements[name]?.value.trim() ?? "";   // of a field, if it is there
let blocks = new Map();   // place -> rows, or the promise of them
let view = 0;             // counts filters: answers to an older one are late
let marked = -1;          // number of the event that somebody went to

// -- a page without a server: parts of the log are scripts beside it

const CHUNK = 10;          // blocks in one of them
const MAX_STATIC = 100_000;
const chunks = new Map();  // place -> promise of rows, and what keeps it
globalThis.rexRows = (place, rows) => chunks.get(place).keep(rows);

function chunk(place) {
  if (!chunks.has(place)) {
    const entry = {};
    entry.rows = new Promise((keep, fail) => {
      entry.keep = keep;
      document.head.append(make("script", { src: `${page.dataset.chunks}~${place}.js`, onerror: () => fail(new Error("A part of the log is missing.")) }));
    });
    chunks.set(place, entry);
  }
  return chunks.get(place).rows;
}

async function look(query) {
  const total = Number(page.dataset.count);
  const count = Math.min(total, MAX_STATIC);
  if ("find" in query) return { total, count, row: Math.max(0, Math.min(Number(query.find) || 0, count - 1)) };
  if (!count) return { total, count, rows: [] };
  const rows = await chunk(Math.floor(query.block / CHUNK));
  const at = (query.block % CHUNK) * BLOCK;
  return { total, count, rows: rows.slice(at, at + BLOCK) };
}

async function ask(query) {
  if ("count" in page.dataset) return look(query);
  const told = new URLSearchParams(query);
  for (const name of FIELDS) if (text(name)) told.set(name, text(name));
  const answer = await fetch(`/experiments/${page.dataset.experiment}/events?${told}`);
  if (answer.headers.get("content-type")?.startsWith("application/json")) return answer.json();
  const trouble = new DOMParser().parseFromString(await answer.text(), "text/html");
  throw new Error($("#main .empty p", trouble)?.textContent ?? `The server answered ${answer.status}.`);
}

function draw(index) {
  const place = Math.floor(index / BLOCK);
  const rows = blocks.get(place);
  if (!Array.isArray(rows)) {
    if (!rows) load(place);
    return make("tr", {}, make("td", { colSpan: 4, className: "quiet" }, "…"));
  }
  const row = rows[index % BLOCK];
  if (!row) return make("tr", {}, make("td", { colSpan: 4 }));
  const [number, task, seconds, call, line] = row;
  const shown = line.startsWith(call) ? [make("b", {}, call), line.slice(call.length)] : [line];
  return make("tr", { className: number === marked ? "picked" : "" }, make("td", { className: "number" }, String(number)),
    make("td", { className: "number" }, String(task)), make("td", { className: "number" }, seconds),
    make("td", { className: "mono", title: line }, ...shown));
}

const table = windowed($(".window", page), draw);

async function load(place) {
  const mine = view;
  blocks.set(place, "coming");
  try {
    const told = await ask({ block: place });
    if (mine !== view) return;
    blocks.set(place, told.rows);
    while (blocks.size > MAX_BLOCKS) blocks.delete(blocks.keys().next().value);
    for (let index = place * BLOCK; index < (place + 1) * BLOCK; index += 1) table.redraw(index);
  } catch (error) {
    if (mine === view) $("#found").textContent = error.message;
  }
}

/** Shows what the form asks for, from the first event or from the one that it names. */
async function show() {
  view += 1;
  const mine = view;
  $("#found").textContent = "Reading…";
  const event = text("event");
  try {
    const told = await ask(event ? { find: event } : { block: 0 });
    if (mine !== view) return;
    blocks = new Map(told.rows ? [[0, told.rows]] : []);
    marked = event ? Number(event) : -1;
    const all = told.total || told.count;
    $("#found").textContent = told.count === all ? `${all.toLocaleString("en")} events`
      : `${told.count.toLocaleString("en")} of ${all.toLocaleString("en")} events`;
    $(".window", page).scrollTop = 0;
    table.show(told.count);
    if (event) table.reveal(told.row);
    remember();
  } catch (error) {
    if (mine !== view) return;
    $("#found").textContent = error.message;
    table.show(0);
  }
}

function remember() {
  const told = new URLSearchParams([...FIELDS, "event"].map((name) => [name, text(name)]).filter(([, given]) => given));
  history.replaceState(null, "", `#${told}`);
}

const told = new URLSearchParams(location.hash.slice(1));
for (const name of [...FIELDS, "event"]) if (form.elements[name]) form.elements[name].value = told.get(name) ?? "";
form.addEventListener("submit", (event) => { event.preventDefault(); show(); });
show();
