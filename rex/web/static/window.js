// A table of very many rows, of which only those in sight are in the page. All rows have one height.

import { $, make } from "./dom.js";

const SPARE = 12;   // rows kept ready above and below

/** Shows rows of a table in a box that scrolls.
 *  box: the element around the table; draw(index): a new <tr> for a row.
 *  The answer has show(count), which draws anew, and reveal(index), which scrolls there. */
export function windowed(box, draw) {
  const body = $("tbody", box);
  const columns = box.querySelectorAll("thead th").length;
  const space = () => make("tr", { className: "space", ariaHidden: "true" }, make("td", { colSpan: columns }));
  const above = space();
  const below = space();
  let count = 0;
  let height = 36;
  let kept = new Map();

  function update() {
    const first = Math.max(0, Math.min(count, Math.floor(box.scrollTop / height)) - SPARE);
    const last = Math.min(count, Math.ceil((box.scrollTop + box.clientHeight) / height) + SPARE);
    const next = new Map();
    for (let index = first; index < last; index += 1) {
      const row = kept.get(index) ?? draw(index);
      row.ariaRowIndex = String(index + 2);
      next.set(index, row);
    }
    for (const [index, row] of kept) if (!next.has(index)) row.remove();
    let before = above;
    for (const row of next.values()) {   // those that stay are not moved, so that none loses its focus
      if (before.nextElementSibling !== row) before.after(row);
      before = row;
    }
    kept = next;
    above.firstElementChild.style.height = `${first * height}px`;
    below.firstElementChild.style.height = `${(count - last) * height}px`;
  }

  function show(newCount) {
    count = newCount;
    kept = new Map();
    body.replaceChildren(above, below);
    $("table", box).ariaRowCount = String(count + 1);
    update();
    const row = above.nextElementSibling;
    const measured = row === below ? 0 : row.getBoundingClientRect().height;
    if (measured && Math.abs(measured - height) > 0.01) { height = measured; update(); }
  }

  let isWaiting = false;
  const soon = () => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => { isWaiting = false; update(); });
  };
  box.addEventListener("scroll", soon, { passive: true });
  addEventListener("resize", soon);
  return {
    show,
    reveal(index) {
      box.scrollTop = Math.max(0, index * height - box.clientHeight / 2);
      update();
      return kept.get(index);
    },
    redraw(index) {
      const old = kept.get(index);
      if (!old) return;
      const row = draw(index);
      row.ariaRowIndex = old.ariaRowIndex;
      old.replaceWith(row);
      kept.set(index, row);
    },
  };
}
