// The page of a training run: sends the script with its new statements, and goes to where the answers come.

import { $, post } from "./dom.js";

$("#ask")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = $("button", event.target);
  button.disabled = true;
  const answer = await post("/api/answer", { experiment: event.target.dataset.name, script: $("#script").value, epochs: $("#epochs").value });
  if (answer.address) location.href = answer.address;
  else {
    $("#ask-problem").textContent = answer.problems[0];
    $("#ask-problem").hidden = false;
    button.disabled = false;
  }
});
