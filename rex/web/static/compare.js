// The pages of comparisons: makes what was typed the rules of the archive, and starts the search for a cause.

import { $, post } from "./dom.js";

const NOT_TYPED = ["left", "right", "name", "parted"];

/** The fields of the form of tolerances, as they are now. */
function typed() {
  const form = $(".tolerance form");
  return form ? Object.fromEntries([...new FormData(form)].filter(([name]) => !NOT_TYPED.includes(name))) : {};
}

$("#set-rules")?.addEventListener("click", async () => {
  const { is_alone, ...fields } = typed();
  const answer = await post("/api/rules", fields);
  $("#rules-told").textContent = answer.problems ? answer.problems[0] : answer.rules ? `Rules now: ${answer.rules}` : "The archive has no rules now.";
});

$("#bisect")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const button = $("button", form);
  button.disabled = true;
  const answer = await post("/api/bisect", { ...typed(), good: form.dataset.good, bad: form.dataset.bad, output: form.elements.output.value });
  if (answer.address) location.href = answer.address;
  else { $("#bisect-problem").textContent = answer.problems[0]; button.disabled = false; }
});
