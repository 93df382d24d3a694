// The table of experiments: found, sorted, selected, changed.

import { $, duration, later, make, post } from "./dom.js";
import { byValue, sortable, TEXT } from "./sorting.js";
import { windowed } from "./window.js";

const page = $("#archive");
const isFixed = "fixed" in page.dataset;   // nothing may be changed
const isStatic = "told" in page.dataset;   // and nobody can be asked
const FILTERS = ["query", "status", "label", "verified"];
const NEWEST = "-start";   // first
const RECORDING = "recording";
const LOOK_MS = 3000;      // between two looks while something is recorded
let rows = [];      // all of them
let shown = [];     // those found, in order
const picked = new Set();   // names
let hrefs = new Map();      // by name
let table;
let heads;

// -- finding

const labelTexts = (row) => Object.entries(row.labels).map(([key, value]) => `${key}=${value}`);

function take(news) {
  const before = new Map(rows.map((row) => [row.name, row]));
  for (const row of news) {   // sizes that are measured anew: until then those of before hold
    const { bytes, size, alone } = before.get(row.name) ?? {};
    if (row.size === undefined && size !== undefined) Object.assign(row, { bytes, size, alone });
  }
  rows = news;
  page.hidden = !rows.length;
  $("#nothing").hidden = !page.hidden;
  for (const row of rows) {
    row.texts = labelTexts(row);
    row.words = [row.name, ...row.texts, row.command, row.note, row.parent].join("\n").toLowerCase();
  }
  hrefs = new Map(rows.map((row) => [row.name, row.href]));
  for (const name of picked) if (!hrefs.has(name)) picked.delete(name);
  const box = $("#label");
  const chosen = box.value || new URLSearchParams(location.hash.slice(1)).get("label") || "";
  const labels = [...new Set(rows.flatMap((row) => row.texts))].sort(TEXT.compare);
  box.replaceChildren(box.firstElementChild, ...labels.map((text) => make("option", { value: text }, text)));
  box.value = labels.includes(chosen) ? chosen : "";
  find();
}

function value(row, key) {
  return key === "labels" ? row.texts.join(" ") : row[key];
}

function find() {
  const wanted = $("#query").value.toLowerCase().split(/\s+/).filter(Boolean);
  const [status, label, verified] = FILTERS.slice(1).map((id) => $(`#${id}`).value);
  shown = rows.filter((row) => wanted.every((word) => row.words.includes(word)) && (!status || row.status === status)
    && (!label || row.texts.includes(label)) && (!verified || String(row.verified) === verified));
  const { key, sign } = heads.order();
  shown.sort((one, two) => byValue(value(one, key), value(two, key), sign) || TEXT.compare(one.name, two.name));
  $("#found").textContent = shown.length === rows.length
    ? `${rows.length} experiment${rows.length === 1 ? "" : "s"}` : `${shown.length} of ${rows.length} experiments`;
  table.show(shown.length);
  showPicked();
  remember();
}

/** Keeps what is looked for in the address, so that a reload or the way back shows it again. */
function remember() {
  const told = new URLSearchParams(FILTERS.map((id) => [id, $(`#${id}`).value]).filter(([, text]) => text));
  if (heads.text() !== NEWEST) told.set("sort", heads.text());
  history.replaceState(null, "", `#${told}`);
}

function recall() {
  const told = new URLSearchParams(location.hash.slice(1));
  for (const id of FILTERS) if (told.has(id)) $(`#${id}`).value = told.get(id);
  heads.set(told.get("sort") ?? NEWEST);
}

// -- one row

const quiet = (text) => make("span", { className: "quiet" }, text);

function nameCell(row) {
  const cell = make("th", { scope: "row", title: row.note ? `${row.name}: ${row.note}` : row.name });
  cell.append(row.href ? make("a", { href: row.href }, row.name) : row.name);
  if (row.is_default) cell.append(" ", make("span", { className: "tag" }, "default"));
  if (row.note) cell.append(" ", quiet(row.note));
  return cell;
}

function sizeCell(row) {
  const isMeasuring = !row.size && row.href && !("measured" in page.dataset);
  return make("td", { className: "number", title: row.alone ? `${row.alone} would be given back if it were deleted` : "" },
    row.size ?? (isMeasuring ? "…" : "–"));
}

function verifiedCell(row) {
  if (row.verified === null) return make("td", {}, quiet("–"));
  return make("td", {}, make("span", { className: `dot ${row.verified ? "good" : "bad"}` }), row.verified ? "yes" : "differed");
}

function pickCell(row) {
  const box = make("input", { type: "checkbox", checked: picked.has(row.name), ariaLabel: `Select ${row.name}` });
  box.addEventListener("change", () => {
    if (box.checked) picked.add(row.name);
    else picked.delete(row.name);
    box.closest("tr").classList.toggle("picked", box.checked);
    showPicked();
  });
  return make("td", {}, box);
}

function editCell(row) {
  if (isFixed) return make("td", {});
  const word = row.href ? "Edit" : "Delete";
  const button = make("button", { type: "button", className: "link", ariaLabel: `${word} ${row.name}` }, word);
  button.addEventListener("click", () => (row.href ? edit(row) : remove([row.name])));
  return make("td", { className: "acts" }, button);
}

function draw(index) {
  const row = shown[index];
  return make("tr", { className: picked.has(row.name) ? "picked" : "" }, pickCell(row), nameCell(row),
    make("td", { title: row.texts.join("\n") }, ...row.texts.map((text) => make("span", { className: "tag" }, text))),
    make("td", { className: "mono", title: row.command }, row.command || "–"),
    make("td", {}, make("span", { className: `dot ${row.status === "good" ? "good" : "bad"}` }), row.ending),
    make("td", { className: "date" }, row.date),
    make("td", { className: "number" }, row.ending === RECORDING ? duration((Date.now() - row.start) / 1000) : row.duration || "–"), sizeCell(row),
    make("td", { className: "number" }, hrefs.get(row.parent) ? make("a", { href: hrefs.get(row.parent) }, row.parent) : row.parent || "–"),
    verifiedCell(row), editCell(row));
}

// -- the selected ones

function showPicked() {
  const bar = $("#picked");
  const chosen = rows.filter((row) => picked.has(row.name)).sort((one, two) => one.start - two.start);
  bar.hidden = !chosen.length;
  $("p", bar).textContent = `${chosen.length} selected${chosen.length === 1 ? ": select another one to compare" : ""}`;
  const link = $("[data-compare]", bar);
  link.hidden = isStatic || chosen.length < 2 || !chosen.every((row) => row.href);
  const names = chosen.map((row) => ["name", row.name]);
  if (!link.hidden) link.href = chosen.length === 2
    ? `/compare?${new URLSearchParams({ left: chosen[0].name, right: chosen[1].name })}` : `/compare/many?${new URLSearchParams(names)}`;
  $("[data-remove]", bar).hidden = isFixed;
  const check = $("[data-check]", bar);
  if (check) check.hidden = chosen.length !== 1 || !chosen[0].href;
  const file = $("[data-export]", bar);
  if (file) {
    file.hidden = !chosen.every((row) => row.href);
    file.href = `/export?${new URLSearchParams(names)}`;
  }
}

// -- changes

/** Sends a change; the rows come back, or what is wrong is told in the dialog. */
async function change(dialog, address, data) {
  const answer = await post(address, data);
  const told = $(".problems", dialog);
  told.hidden = !answer.problems;
  if (answer.problems) { told.textContent = answer.problems.join(" "); return; }
  dialog.close();
  take(answer.rows);
  if (address === "/api/remove" || rows.some((row) => row.href && row.size === undefined)) measure();
}

function open(dialog, act) {
  const form = $("form", dialog);
  $(".problems", dialog).hidden = true;
  form.onsubmit = (event) => { event.preventDefault(); act(form); };
  $("[data-cancel]", dialog).onclick = () => dialog.close();
  dialog.showModal();
}

function edit(row) {
  const dialog = $("#edit");
  const form = $("form", dialog);
  $("#h-edit").textContent = row.name;
  form.elements.name.value = row.name;
  form.elements.labels.value = row.texts.join("\n");
  form.elements.note.value = row.note;
  for (const field of [form.elements.labels, form.elements.note]) field.readOnly = !row.is_plain;
  $("[data-default]", dialog).hidden = row.is_default;
  $("[data-default]", dialog).onclick = () => change(dialog, "/api/default", { experiment: row.name });
  $("[data-remove]", dialog).onclick = () => { dialog.close(); remove([row.name]); };
  open(dialog, () => change(dialog, "/api/describe", {
    experiment: row.name, name: form.elements.name.value,
    ...(row.is_plain ? { labels: form.elements.labels.value, note: form.elements.note.value } : {}),
  }));
}

function remove(names) {
  const dialog = $("#remove");
  $("#h-remove").textContent = names.length === 1 ? `Delete ${names[0]}?` : `Delete ${names.length} experiments?`;
  $("ul", dialog).replaceChildren(...rows.filter((row) => names.includes(row.name)).map(
    (row) => make("li", {}, row.name, " ", quiet(row.command))));
  open(dialog, () => change(dialog, "/api/remove", { experiments: names }));
}

/** Replays the one that is selected; its page shows how that goes. */
async function check() {
  const answer = await post("/api/check", { experiment: [...picked][0] });
  if (answer.address) location.href = answer.address;
  else $("#picked p").textContent = answer.problems[0];
}

/** Shows what others have recorded or changed, unless somebody is at work in the table. */
function lookAgain() {
  const isBusy = $("dialog[open]") || $(".window tbody", page).contains(document.activeElement);
  if (!document.hidden && !isBusy) measure();
}

/** Takes rows, and what the archive takes on the disk where that is known. */
function show(told) {
  if (told.disk) {
    page.dataset.measured = "";
    $("#disk").textContent = `${told.disk} on the disk`;
  }
  take(told.rows);
}

async function load(query) {
  const answer = await fetch(`/archive/rows${query}`).catch(() => null);   // the server may have ended
  if (answer?.ok) show(await answer.json());
}

const measure = () => load("?sizes");

async function start() {
  table = windowed($(".window", page), draw);
  heads = sortable($(".window", page), find);
  recall();
  for (const id of FILTERS) $(`#${id}`).addEventListener("input", id === "query" ? later(60, find) : find);
  $("[data-clear]").addEventListener("click", () => { picked.clear(); find(); });
  $("#picked [data-check]")?.addEventListener("click", check);
  $("#picked [data-remove]").addEventListener("click", () => remove([...picked]));
  if (isStatic) { show(JSON.parse(page.dataset.told)); return; }
  await load("");
  if (!("measured" in page.dataset)) measure();
  setInterval(() => { if (rows.some((row) => row.ending === RECORDING)) lookAgain(); }, LOOK_MS);
  document.addEventListener("visibilitychange", lookAgain);
}

start();
