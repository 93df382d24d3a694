"""What helps to type `%rex` commands: completion by TAB, and help by a question mark."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from rex.notebook.session import Session

# Commands that take a state, by any of its names.
_STATES = frozenset({"checkout", "diff", "show", "tag", "branch"})
_QUESTION = re.compile(r"\s*%rex\s*(?P<word>\w*)[^?\n]*\?{1,2}\s*")


def completer(options: dict[str, list[str]], session: Callable[[], "Session | None"]) -> Callable[[Any, Any], list[str]]:
    """What IPython calls for the words of a line that begins with `%rex`.

    Args:
        options: by command.
    """
    def complete(_: Any, event: Any) -> list[str]:
        words = event.line.split()[1:]
        begun = words.pop() if words and not event.line[-1:].isspace() else ""
        behind = len(begun) - len(event.symbol)      # IPython ends a word at a colon too
        return [word[behind:] for word in _candidates(options, session(), words, begun) if word.startswith(begun)]
    return complete


def _candidates(options: dict[str, list[str]], session: "Session | None", words: list[str], begun: str) -> list[str]:
    if not words:
        return list(options)
    command = words[0]
    if begun.startswith("-"):
        return options.get(command, [])
    if session is None or command not in _STATES:
        return []
    graph = session.graph
    where, colon, _ = begun.partition(":")
    if command == "show" and colon:
        return [f"{where}:{name}" for name in sorted(graph.state(graph.resolve(where))) if not name.startswith("<")]
    return [*graph.tags, *graph.branches, *(str(number) for number in sorted(graph.nodes, reverse=True))]


def ask_for_help(lines: list[str]) -> list[str]:
    """Turn `%rex checkout?` into `%rex help checkout`; IPython would look for an object of that name."""
    if len(lines) == 1 and (found := _QUESTION.fullmatch(lines[0])):
        return [f"%rex help {found['word']}".rstrip() + "\n"]
    return lines
