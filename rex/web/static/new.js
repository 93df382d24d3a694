// The form of a new experiment: what is changed is marked, counted, checked while it is typed, and confirmed.

import { $, $$, fragment, later, make, post } from "./dom.js";
import { addVariable, collectEnvironment, setUpEnvironment } from "./environment.js";
import { hasShellSigns, split } from "./words.js";

const RECORDED = "as recorded";
let replaced = new Map();   // key of an input -> {name, local}; rows come and go with the search
let apps = new Map();       // key of a program or library -> local path; one library may be shown several times

function start() {
  replaced = new Map();
  apps = new Map();
  for (const set of [setUpFrom, setUpCommand, setUpPrograms, setUpFiles, setUpEnvironment, setUpResults]) set();
  $("#wish").addEventListener("submit", (event) => { event.preventDefault(); confirmWish(); });
  $("#wish").addEventListener("input", tally);
  $("#reset").addEventListener("click", () => {
    sessionStorage.removeItem(draftKey());
    show(`/?from=${encodeURIComponent($("#wish").dataset.experiment)}`, "#from");
  });
  fillPackages();
  restore();
  tally();
}

// -- drafts: what was changed survives a reload, and the way back from a run

const draftKey = () => `draft of ${$("#wish").dataset.experiment}`;

function restore() {
  let draft;
  try { draft = JSON.parse(sessionStorage.getItem(draftKey())); } catch { return; }
  if (!draft) return;
  const type = (field, value) => { field.value = value; field.dispatchEvent(new Event("input")); };
  if (draft.command !== null && !$("#line").readOnly) type($("#line"), draft.command);
  if (draft.cwd !== null) type($("#cwd"), draft.cwd);
  for (const part of $$("[data-part]")) {
    const local = draft.apps[part.dataset.part];
    if (local !== undefined && !apps.has(part.dataset.part)) { choose(part, true, local); }
  }
  replaced = new Map(Object.entries(draft.files));
  for (const row of $$("tr[data-file]")) if (replaced.has(row.dataset.file)) openReplace(row, false);
  for (const [seen, local] of draft.added) addFile(seen, local);
  const rows = new Map($$("tr[data-variable]").map((row) => [row.dataset.variable, row]));
  for (const [name, value] of Object.entries(draft.set)) {
    if (rows.has(name)) type($("input", rows.get(name)), value);
    else addVariable(name, value);
  }
  if (draft.unset.length || Object.keys(draft.set).length) $("#environment details").open = true;
  for (const name of draft.unset) if (rows.has(name)) $("[data-remove]", rows.get(name)).click();
  if (draft.hasOwnOutdir) type($("#outdir"), draft.outdir);
  $("#name").value = draft.name ?? "";
  $("#record").checked = draft.record && !$("#record").disabled;
  $("#record").dispatchEvent(new Event("change"));
  document.activeElement?.blur();
  scrollTo(0, 0);
}

/** Puts another experiment's form in place of this one, without leaving the page. */
async function show(address, focus) {
  const page = await fragment(address);
  const form = $("#wish", page);
  if (!form) { location.assign(address); return; }
  $("#wish").replaceWith(document.adoptNode(form));
  document.title = page.title;
  history.replaceState(null, "", address);
  start();
  $(focus)?.focus();
}

function setUpFrom() {
  $("#from").addEventListener("change", (event) => show(`/?from=${encodeURIComponent(event.target.value)}`, "#from"));
}

// -- the command

function setUpCommand() {
  const line = $("#line");
  const server = later(300, async () => {
    const command = line.value;
    if (split(command).problem) return;   // said already
    const answer = await post("/api/command", { command });
    if (command === line.value && answer.problems) sayCommand({ problem: answer.problems.join(" ") });
  });
  const check = () => {
    fit(line);
    sayCommand(split(line.value));
    server();
  };
  line.addEventListener("input", check);
  line.addEventListener("keydown", (event) => {   // a command line has one line; Enter means: go
    if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); $("#wish").requestSubmit(); }
  });
  fit(line);
  sayCommand(split(line.value));
}

function fit(area) {
  area.rows = 1;
  while (area.scrollHeight > area.clientHeight + 2 && area.rows < 12) area.rows += 1;
}

function sayCommand({ words, problem }) {
  const verdict = $("#line-says .verdict");
  const list = $("#line-says .words");
  const line = $("#line");
  line.setAttribute("aria-invalid", String(Boolean(problem)));
  verdict.classList.toggle("bad", Boolean(problem));
  list.hidden = Boolean(problem);
  verdict.textContent = problem ?? "";
  if (problem) return;
  const before = split(line.dataset.recorded).words ?? [];
  list.replaceChildren(...words.map((word, at) => make("li", {
    className: line.readOnly || word === before[at] ? "" : "changed",
    title: at ? `argument ${at}` : "the program",
  }, word === "" ? "(empty)" : word)));
  if (hasShellSigns(words)) {
    verdict.textContent = "No shell reads this line: signs such as | and > go to the program as they are.";
  }
}

// -- programs

function setUpPrograms() {
  for (const part of $$("[data-part]")) {
    for (const button of $$("[data-from]", part)) {
      button.addEventListener("click", () => choose(part, button.dataset.from === "local"));
    }
    setUpPath($("input.pathfield", part), $(".verdict", part), (value) => {
      apps.set(part.dataset.part, value);
      for (const twin of twins(part)) if (twin !== part) $("input.pathfield", twin).value = value;
    });
  }
}

const twins = (part) => $$("[data-part]").filter((each) => each.dataset.part === part.dataset.part);

/** From the archive, or from here: at first what lies here under the same name. */
function choose(part, isLocal, local = null) {
  for (const each of twins(part)) {
    for (const button of $$("[data-from]", each)) {
      button.setAttribute("aria-pressed", String((button.dataset.from === "local") === isLocal));
    }
    $(".local", each).hidden = !isLocal;
    each.classList.toggle("changed", isLocal);
  }
  if (isLocal) {
    const field = $("input.pathfield", part);
    if (local !== null || !field.value) field.value = local ?? part.dataset.path;
    field.dispatchEvent(new Event("input"));
    field.focus();
    field.select();
  } else {
    apps.delete(part.dataset.part);
  }
  tally();
}

async function fillPackages() {
  const experiment = $("#wish").dataset.experiment;
  try {
    const found = await (await fetch(`/experiments/${encodeURIComponent(experiment)}/packages`)).json();
    for (const part of $$("[data-part]")) {
      if (found[part.dataset.part]) $("[data-package]", part).textContent = found[part.dataset.part];
    }
  } catch { /* versions are a help, not a need */ }
}

// -- local paths: completed and judged by the server

function setUpPath(field, verdict, changed = () => {}) {
  field.setAttribute("list", "paths");
  const judge = later(250, async () => {
    const path = field.value;
    if (!path.trim()) { say(verdict, field, "", true); return; }
    const answer = await post("/api/path", { path, kind: field.dataset.kind });
    if (path === field.value) say(verdict, field, answer.text ?? (answer.problems ?? []).join(" "), answer.is_good);
  });
  const complete = later(120, async () => {
    const answer = await post("/api/complete", { path: field.value });
    $("#paths").replaceChildren(...(answer.names ?? []).map((name) => make("option", { value: name })));
  });
  field.addEventListener("input", () => { changed(field.value); judge(); complete(); });
  if (field.value) judge();
}

function say(verdict, field, text, isGood) {
  verdict.textContent = text;
  verdict.classList.toggle("bad", !isGood);
  field.setAttribute("aria-invalid", String(!isGood));
}

// -- files

function setUpFiles() {
  const search = later(150, () => loadFiles(0));
  $("#query").addEventListener("input", search);
  $("#query").addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
  $("#role").addEventListener("change", () => loadFiles(0));
  $("table.files tbody").addEventListener("click", (event) => {
    const more = event.target.closest("[data-more]");
    if (more) loadFiles(Number(more.dataset.more));
    if (event.target.closest("[data-replace]")) openReplace(event.target.closest("tr"), true);
  });
  $("#add-file").addEventListener("click", () => addFile());
}

let asked = 0;

async function loadFiles(from) {
  const mine = ++asked;
  const query = new URLSearchParams({ query: $("#query").value, role: $("#role").value, start: from });
  const answer = await fetch(`/experiments/${encodeURIComponent($("#wish").dataset.experiment)}/files?${query}`);
  const text = await answer.text();
  if (mine !== asked) return;   // somebody typed on meanwhile
  const rows = make("tbody");
  const page = new DOMParser().parseFromString(`<table><tbody>${text}</tbody></table>`, "text/html");
  rows.append(...$$("tr", page));
  const body = $("table.files tbody");
  if (from) $("tr.foot", body).remove();
  else body.replaceChildren();
  body.append(...rows.children);
  for (const row of $$("tr[data-file]", body)) {
    if (replaced.has(row.dataset.file) && !row.nextElementSibling?.matches(".replacing")) openReplace(row, false);
  }
}

/** A row below an input, with the field for the file in its place. */
function openReplace(row, isNew) {
  const { file, name } = row.dataset;
  if (row.dataset.role !== "input" || row.nextElementSibling?.matches(".replacing")) return;
  if (!replaced.has(file)) replaced.set(file, "");
  const field = make("input", { type: "text", className: "pathfield", value: replaced.get(file), spellcheck: false, autocomplete: "off" });
  field.dataset.kind = "file";
  const verdict = make("p", { className: "verdict", "aria-live": "polite" });
  const undo = make("button", { type: "button", className: "link" }, "Undo");
  const below = make("tr", { className: "replacing" }, make("td", { colSpan: 4 },
    make("label", {}, make("span", { className: "label" }, `Local file to use instead of ${name}`), field), undo, verdict));
  undo.addEventListener("click", () => {
    replaced.delete(file);
    below.remove();
    row.classList.remove("changed");
    $("[data-replace]", row).focus();
    tally();
  });
  row.classList.add("changed");
  row.after(below);
  setUpPath(field, verdict, (value) => replaced.set(file, value));
  if (isNew) { field.focus(); tally(); }
}

function addFile(name = "", path = "") {
  const seen = make("input", { type: "text", className: "mono", value: name, placeholder: "name.txt", spellcheck: false });
  const local = make("input", { type: "text", className: "pathfield", value: path, placeholder: "/path/on/this/machine", spellcheck: false, autocomplete: "off" });
  local.dataset.kind = "file";
  const verdict = make("p", { className: "verdict", "aria-live": "polite" });
  const undo = make("button", { type: "button", className: "link" }, "Remove");
  const entry = make("div", { className: "entry" },
    make("label", {}, make("span", { className: "label" }, "Name in the experiment"), seen),
    make("label", {}, make("span", { className: "label" }, "Local file"), local), undo, verdict);
  undo.addEventListener("click", () => { entry.remove(); $("#add-file").focus(); tally(); });
  $("#added").append(entry);
  setUpPath(local, verdict);
  seen.focus();
  tally();
}

// -- results

function setUpResults() {
  setUpPath($("#outdir"), $("#outdir-says"));
  const record = $("#record");
  const follow = () => { $(".naming").hidden = !record.checked; };
  record.addEventListener("change", () => { follow(); tally(); });
  follow();
}

// -- all of it

function collect() {
  const changed = (field) => field.value === field.dataset.recorded ? null : field.value;
  return {
    experiment: $("#wish").dataset.experiment, command: changed($("#line")), cwd: changed($("#cwd")), ...collectEnvironment(),
    apps: Object.fromEntries(apps), files: Object.fromEntries(replaced),
    added: $$("#added .entry").map((entry) => $$("input", entry).map((field) => field.value)),
    outdir: $("#outdir").value, record: $("#record").checked, name: $("#name").value || null,
  };
}

/** Counts the changes by section, says so, and keeps them for a reload. */
function tally() {
  const wish = collect();
  const hasOwnOutdir = wish.outdir !== $("#outdir").defaultValue;
  sessionStorage.setItem(draftKey(), JSON.stringify({ ...wish, hasOwnOutdir }));
  const counts = {
    command: (wish.command !== null) + (wish.cwd !== null),
    apparatus: apps.size,
    files: replaced.size + wish.added.length,
    environment: Object.keys(wish.set).length + wish.unset.length,
  };
  let sum = 0;
  for (const [section, count] of Object.entries(counts)) {
    sum += count;
    const state = $(`#${section} [data-state]`);
    state.textContent = count ? `${count} change${count === 1 ? "" : "s"}` : RECORDED;
    state.classList.toggle("changed", count > 0);
  }
  $("#line").classList.toggle("changed", wish.command !== null);
  $("#cwd").classList.toggle("changed", wish.cwd !== null);
  $("#summary").textContent = sum ? `${sum} change${sum === 1 ? "" : "s"} to ${wish.experiment}` : "Nothing is changed yet.";
  $("#reset").hidden = !sum;
}

function complain(problems) {
  const box = $("#problems");
  box.replaceChildren(make("strong", {}, "This cannot be run yet"),
    make("ul", {}, ...problems.map((problem) => make("li", {}, problem))));
  box.hidden = false;
  box.focus();
}

async function confirmWish() {
  $("#problems").hidden = true;
  const wish = collect();
  const answer = await post("/api/preview", wish);
  if (answer.problems) { complain(answer.problems); return; }
  const parts = [];
  if (answer.changes.length) {
    parts.push(make("p", {}, `Changed from ${answer.experiment}:`),
      make("ul", { className: "changes" }, ...answer.changes.map((line) => make("li", {}, line))));
  } else {
    parts.push(make("p", {}, `Nothing is changed from ${answer.experiment}: it is run once more.`));
  }
  const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  parts.push(make("p", {}, `From the archive, as they were: ${answer.programs} programs and libraries, ${count(answer.inputs, "input file")}.`),
    make("p", {}, "Results go to ", make("code", {}, answer.outdir), "."),
    make("p", {}, answer.is_recorded ? `The run is recorded${answer.name ? ` as ${answer.name}` : ""} in this archive.` : "The run is not recorded."));
  $("#confirm-body").replaceChildren(...parts);
  const dialog = $("#confirm");
  dialog.showModal();
  $("#go").onclick = async () => {
    $("#go").disabled = true;
    const begun = await post("/runs", wish);
    $("#go").disabled = false;
    if (begun.problems) { dialog.close(); complain(begun.problems); return; }
    location.assign(begun.address);
  };
  $("#back").onclick = () => dialog.close();
  $("#go").focus();
}

start();
