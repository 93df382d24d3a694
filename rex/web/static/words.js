// Splits a command line as rex/web/words.py does (Python's shlex): quotes and backslashes, and nothing else of a shell.

const SPACE = " \t\r\n";

/** Returns {words} or {problem}, the problem in words. */
export function split(text) {
  const words = [];
  let word = null;   // null: between words
  let quote = "";
  let opened = 0;
  const chars = Array.from(text);
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at];
    if (char === "\\" && quote !== "'") {
      if (at + 1 === chars.length) return { problem: "The backslash at the end has nothing to stand before." };
      const next = chars[++at];
      // Inside double quotes a backslash stands for itself, except before a quote or another one.
      word = (word ?? "") + (quote && next !== quote && next !== "\\" ? "\\" + next : next);
    } else if (quote) {
      if (char === quote) quote = "";
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      opened = at;
      word ??= "";
    } else if (SPACE.includes(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote) {
    const rest = chars.slice(opened + 1).join("").trim().split(/\s/)[0].slice(0, 12);
    return { problem: `The quotation mark ${quote} before ${rest || "the end"} has no partner.` };
  }
  if (word !== null) words.push(word);
  if (!words.length || !words[0]) return { problem: "The command line is empty; it must begin with a program." };
  return { words };
}

const SHELL = new Set(["|", ">", ">>", "<", "&&", "||", ";", "&", "2>&1"]);

/** Whether somebody seems to hope for a shell. */
export const hasShellSigns = (words) => words.some((word) => SHELL.has(word));
