// The environment: a table of variables, each as recorded, changed, removed or added.

import { $, $$, changed, make } from "./dom.js";

const table = () => $("table.variables");

export function setUpEnvironment() {
  for (const row of $$("tr[data-variable]")) {
    const field = $("input", row);
    field.addEventListener("input", () => markVariable(row));
    $("[data-remove]", row).addEventListener("click", () => {
      if (field.disabled || field.value !== field.dataset.recorded) {   // restore
        field.disabled = false;
        field.value = field.dataset.recorded;
      } else {
        field.disabled = true;
      }
      markVariable(row);
      changed(row);
    });
  }
  $("#add-variable").addEventListener("click", () => addVariable());
}

const stateOf = (field) => field.disabled ? "removed" : field.value !== field.dataset.recorded ? "changed" : "";

function markVariable(row) {
  const field = $("input", row);
  const state = stateOf(field);
  row.className = state;
  $("[data-mark]", row).textContent = state;
  $("[data-remove]", row).firstChild.textContent = state ? "Restore" : "Remove";
}

export function addVariable(givenName = "", givenValue = "") {
  const details = $("#environment details");
  details.open = true;
  const name = make("input", { type: "text", className: "mono", value: givenName, placeholder: "NAME", "aria-label": "Name of the new variable", spellcheck: false });
  const value = make("input", { type: "text", className: "mono", value: givenValue, placeholder: "value", "aria-label": "Value of the new variable", spellcheck: false });
  const undo = make("button", { type: "button", className: "link" }, "Remove");
  const row = make("tr", { className: "added" }, make("th", { scope: "row" }, name), make("td", {}, value),
    make("td", { className: "acts" }, make("span", { className: "tag" }, "added"), undo));
  undo.addEventListener("click", () => { row.remove(); $("#add-variable").focus(); changed(table()); });
  $("table.variables tbody").append(row);
  name.focus();
  changed(table());
}

/** {set, unset}: what is other than recorded. */
export function collectEnvironment() {
  const set = {};
  const unset = [];
  for (const row of $$("tr[data-variable]")) {
    const state = stateOf($("input", row));
    if (state === "removed") unset.push(row.dataset.variable);
    if (state === "changed") set[row.dataset.variable] = $("input", row).value;
  }
  for (const row of $$("tr.added")) {
    const [name, value] = $$("input", row).map((field) => field.value);
    if (name || value) set[name.trim()] = value;
  }
  return { set, unset };
}
