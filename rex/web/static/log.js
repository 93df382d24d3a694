// The log of an experiment: rows come in blocks, as they scroll into sight.

import { $, make } from "./dom.js";
import { windowed } from "./window.js";

const page = $("#log");
const BLOCK = Number(page.dataset.block);
const MAX_BLOCKS = 200;   // kept in the page
const FIELDS = ["calls", "path", "task"];
const form = $("form", page);
let blocks = new Map();   // place -> rows, or the promise of them
let view = 0;             // counts filters: answers to an older one are late
let marked = -1;          // number of the event that somebody went to

async function ask(query) {
  const told = new URLSearchParams(query);
  for (const name of FIELDS) if (form.elements[name].value.trim()) told.set(name, form.elements[name].value.trim());
  const answer = await fetch(`/experiments/${page.dataset.experiment}/events?${told}`);
  if (answer.headers.get("content-type")?.startsWith("application/json")) return answer.json();
  const text = new DOMParser().parseFromString(await answer.text(), "text/html");
  throw new Error($("#main .empty p", text)?.textContent ?? `The server answered ${answer.status}.`);
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
  const [number, task, seconds, call, text] = row;
  const at = text.indexOf(call);
  const shown = at === 0 ? [make("b", {}, call), text.slice(call.length)] : [text];
  return make("tr", { className: number === marked ? "picked" : "" }, make("td", { className: "number" }, String(number)),
    make("td", { className: "number" }, String(task)), make("td", { className: "number" }, seconds),
    make("td", { className: "mono", title: text }, ...shown));
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
  const event = form.elements.event.value.trim();
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
  const told = new URLSearchParams([...FIELDS, "event"].map((name) => [name, form.elements[name].value.trim()]).filter(([, text]) => text));
  history.replaceState(null, "", `#${told}`);
}

const told = new URLSearchParams(location.hash.slice(1));
for (const name of [...FIELDS, "event"]) form.elements[name].value = told.get(name) ?? "";
form.addEventListener("submit", (event) => { event.preventDefault(); show(); });
show();
