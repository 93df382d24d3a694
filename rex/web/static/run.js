// A run, live: output as it comes, the time, cancelling, and the result when it is over.

import { $, duration, fragment, make, post } from "./dom.js";

const KEPT_CHARS = 2_000_000;   // in the page; the server keeps more
const WORDS = { starting: "Starting", running: "Running", ending: "Ending", finished: "Finished", cancelled: "Cancelled", failed: "Failed" };

const page = $("#run");
const output = $("#output");
const began = performance.now() - Number(page.dataset.elapsed) * 1000;
let state = page.dataset.state;
const isOver = () => ["finished", "cancelled", "failed"].includes(state);
let chars = 0;
let wasOver = isOver();

/** Adds text as text. A lone carriage return begins the line anew, as progress bars want it. */
function add(stream, text, lostBytes) {
  $("#silence").hidden = true;
  const isAtEnd = output.scrollTop + output.clientHeight >= output.scrollHeight - 40;
  if (lostBytes) output.append(make("span", { className: "gap" }, `\n… ${lostBytes} bytes are left out here …\n`));
  let last = output.lastElementChild;
  if (!last || last.className !== `s${stream}` || last.textContent.length > 8192) {
    last = make("span", { className: `s${stream}` });
    output.append(last);
  }
  const whole = text.replaceAll("\r\n", "\n");
  if (whole.includes("\r")) last.textContent = (last.textContent + whole).replace(/[^\n]*\r(?!$)/g, "");
  else last.append(whole);
  chars += text.length;
  while (chars > KEPT_CHARS && output.childElementCount > 1) {
    chars -= output.firstElementChild.textContent.length;
    output.firstElementChild.remove();
  }
  if (isAtEnd) output.scrollTop = output.scrollHeight;
}

function setState(next, elapsed) {
  state = next;
  const pill = $("#pill");
  pill.className = `pill ${state}`;
  pill.textContent = WORDS[state] ?? state;
  if (isOver()) {
    $("#elapsed").textContent = duration(elapsed);
    $("#cancel").hidden = true;
    countDown();
    document.title = `${WORDS[state]}: ${document.title.replace(/^\w+: /, "")}`;
  }
}

/** One run less in the heading, which was written while this one went on. */
function countDown() {
  const badge = $(".badge");
  if (!badge || wasOver) return;
  wasOver = true;
  const rest = Number(badge.textContent) - 1;
  if (rest) badge.textContent = rest;
  else badge.remove();
}

async function showResult() {
  if (!$("#result").childElementCount) {
    const part = await fragment(`/runs/${page.dataset.key}?part`);
    $("#result").replaceChildren(...part.body.children);
  }
  if (!$("#output").childElementCount) $("#silence").textContent = "It wrote nothing.";
  const place = $("#comparison");
  if (!place) return;
  const query = new URLSearchParams({ left: place.dataset.left, right: place.dataset.right, part: "" });
  const found = await fragment(`/compare?${query}`);
  const inner = $("#main .empty", found);   // something went wrong: its page says what
  $(".differences", place).replaceChildren(...(inner ? inner.children : found.body.children));
}

function watch() {
  const source = new EventSource(`/runs/${page.dataset.key}/events`);
  source.addEventListener("output", (event) => {
    for (const [stream, text, lost] of JSON.parse(event.data)) add(stream, text, lost);
  });
  source.addEventListener("state", (event) => {
    const news = JSON.parse(event.data);
    setState(news.state, news.elapsed_s);
    if (!isOver()) return;
    source.close();
    showResult();
  });
  source.onerror = () => {
    if (isOver()) return;
    const isEnded = source.readyState === EventSource.CLOSED;   // another server answers now, or none of this run
    $("#pill").textContent = isEnded ? "The server has ended" : "Connection lost, trying again";
  };
  source.onopen = () => { if (!isOver()) setState(state, 0); };
}

setInterval(() => { if (!isOver()) $("#elapsed").textContent = duration((performance.now() - began) / 1000); }, 100);

$("#cancel").addEventListener("click", async () => {
  $("#cancel").disabled = true;
  $("#pill").textContent = "Ending…";
  const answer = await post(`/runs/${page.dataset.key}/cancel`, {});
  if (answer.problems) { $("#pill").textContent = answer.problems[0]; $("#cancel").disabled = false; }
});

for (const stream of [1, 2]) {
  $(`#show-${stream}`).addEventListener("change", (event) => output.classList.toggle(`without-${stream}`, !event.target.checked));
}

watch();
