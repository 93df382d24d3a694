// Small helpers that the scripts share.

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => Array.from(root.querySelectorAll(selector));

/** An element with properties and children; texts are texts, never HTML. */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Tells the form that something in it was changed by other means than typing. */
export const changed = (element) => element.dispatchEvent(new Event("input", { bubbles: true }));

/** POST some JSON; its answer, or {problems}. */
export async function post(address, data) {
  try {
    const answer = await fetch(address, {
      method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data),
    });
    const text = await answer.text();
    if (answer.headers.get("content-type")?.startsWith("application/json")) return JSON.parse(text);
    return { problems: [text || `The server answered ${answer.status}.`] };
  } catch {
    return { problems: ["The server does not answer. Is rex still running?"] };
  }
}

/** The elements of a piece of a page that the server made. */
export async function fragment(address) {
  const answer = await fetch(address);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Calls a function when nothing happened for a while. */
export function later(wait, action) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...args), wait);
  };
}

export function duration(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  const two = (number) => String(Math.floor(number)).padStart(2, "0");
  return minutes < 60 ? `${minutes} m ${two(seconds % 60)} s` : `${Math.floor(minutes / 60)} h ${two(minutes % 60)} m`;
}
