// The page of an experiment: its files, found by words and role, and its processes on a time line.

import { $, later, make, post } from "./dom.js";
import { windowed } from "./window.js";

function setUpFiles(section) {
  const rows = JSON.parse(section.dataset.rows);
  let shown = [];
  const draw = (index) => {
    const row = shown[index];
    const role = make("td", {}, make("span", { className: `tag ${row.role}` }, row.role));
    if (row.change && row.change !== "created") role.append(" ", make("span", { className: "quiet" }, row.change));
    return make("tr", {}, make("td", { className: "mono", title: row.place }, row.href ? make("a", { href: row.href }, row.place) : row.place),
      role, make("td", { className: "number" }, row.size));
  };
  const table = windowed($(".window", section), draw);
  const find = () => {
    const wanted = $("#query").value.toLowerCase().split(/\s+/).filter(Boolean);
    const role = $("#role").value;
    shown = rows.filter((row) => (role ? row.role === role : row.role !== "apparatus")
      && wanted.every((word) => row.place.toLowerCase().includes(word)));
    $("#found").textContent = `${shown.length} file${shown.length === 1 ? "" : "s"}`;
    table.show(shown.length);
  };
  $("#query").addEventListener("input", later(60, find));
  $("#role").addEventListener("input", find);
  find();
}

function setUpProcesses(section) {
  const rows = JSON.parse(section.dataset.rows);
  const draw = (index) => {
    const row = rows[index];
    const bar = make("span", { className: `bar-of ${row.is_good ? "good" : "bad"}` });
    bar.style.left = `${row.from / 10}%`;
    bar.style.width = `max(2px, ${(row.to - row.from) / 10}%)`;
    return make("tr", {},
      make("td", { className: "mono", title: row.command }, make("span", { className: "quiet branch" }, row.branch), row.command),
      make("td", { className: "line-of", title: `${row.start}, ${row.duration}` }, make("span", { className: "track" }, bar)),
      make("td", { className: "number" }, row.start), make("td", { className: "number" }, row.duration),
      make("td", { className: "number" }, row.cpu), make("td", {}, row.ending));
  };
  windowed($(".window", section), draw).show(rows.length);
}

setUpFiles($("#files"));
if ($("#processes")) setUpProcesses($("#processes"));

$("#check")?.addEventListener("click", async (event) => {
  event.target.disabled = true;
  const answer = await post("/api/check", { experiment: event.target.dataset.name });
  if (answer.address) location.href = answer.address;
  else { $("#check-problem").textContent = answer.problems[0]; event.target.disabled = false; }
});
