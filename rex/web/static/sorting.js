// Tables that are sorted by a click on a heading.

import { $, $$ } from "./dom.js";

export const TEXT = new Intl.Collator("en", { numeric: true });

/** Texts as people count them, numbers by size, and what is not there last, whichever way it goes. */
export function byValue(one, two, sign) {
  const isNone = (each) => each === null || each === undefined || each === "";
  if (isNone(one) || isNone(two)) return isNone(one) - isNone(two);
  return sign * (typeof one === "string" ? TEXT.compare(one, two) : one - two);
}

/** Makes the headings with data-sort sort; act is called when somebody has chosen another order.
 *  The answer has order(), set(text) and text(): the name of a column, with - before it for the way down. */
export function sortable(box, act) {
  const heads = $$("th[data-sort]", box);
  let key = "";
  let sign = 1;
  const set = (text) => {
    const wanted = text.replace("-", "");
    if (!heads.some((head) => head.dataset.sort === wanted)) return;
    key = wanted;
    sign = text.startsWith("-") ? -1 : 1;
    for (const head of heads) {
      if (head.dataset.sort === key) head.setAttribute("aria-sort", sign < 0 ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    }
  };
  const text = () => (sign < 0 ? `-${key}` : key);
  for (const head of heads) {
    $("button", head).addEventListener("click", () => {
      const name = head.dataset.sort;
      set(text() === name ? `-${name}` : name);
      act();
    });
  }
  return { set, text, order: () => ({ key, sign }) };
}
