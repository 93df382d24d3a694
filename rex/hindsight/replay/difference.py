"""Where two states differ."""

from __future__ import annotations

from typing import Any, Iterator

from rex.hindsight.capture.graph import Node, Ref, RootState, Snapshot, base_of
from rex.hindsight.capture.interpreter import LOGGERS
from rex.hindsight.run.roots import OF_LIBRARIES


def difference(saved: Snapshot, live: Snapshot) -> Iterator[str]:
    """The roots whose states differ, with the way to the first difference in each.

    Modes and loggers of libraries that only an added statement imported are none.
    """
    named = {*saved.digests(), *live.digests()}
    theirs = {root.name: root for root in live.roots if root.name in named}
    for root in saved.roots:
        if root.name not in named:
            continue
        other = theirs.pop(root.name, None)
        if other is None:
            yield f"{root.name} (gone)"
        elif other.digest != root.digest:
            yield _first_difference(root, other)
    for name in sorted(theirs.keys() - OF_LIBRARIES - {LOGGERS}):
        yield f"{name} (new)"


def _first_difference(one: RootState, other: RootState) -> str:
    base, paths = base_of(one.name), {base_of(one.name): one.name}
    for place, (a, b) in enumerate(zip(one.nodes, other.nodes)):
        path = paths.get(base + place, one.name)
        for step, ref in steps(a):
            paths.setdefault(ref[0], path + step)
        if a != b and not (a[0] == b[0] and _only_refs_differ(a, b)):
            return path
    return one.name


def _only_refs_differ(a: Any, b: Any) -> bool:
    """Whether the difference lies below: numbers of nodes shift when something above differs."""
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        if len(a) == 1 and len(b) == 1 and isinstance(a, tuple):
            return True
        return len(a) == len(b) and all(_only_refs_differ(x, y) for x, y in zip(a, b))
    return bool(a == b) or a != a and b != b


def steps(node: Node) -> Iterator[tuple[str, Ref]]:
    """The references in a node, with how a user would write the step to each."""
    if node[0] in ("list", "tuple"):
        for index, ref in enumerate(node[1]):
            if type(ref) is tuple:
                yield f"[{index}]", ref
    elif node[0] == "dict":
        for key, ref in zip(node[1], node[2]):
            if type(ref) is tuple:
                yield f"[{key!r}]" if type(key) is not tuple else "[...]", ref
    elif node[0] == "object":
        for name, ref in zip(node[2], node[3]):
            if type(ref) is tuple:
                yield f".{name}", ref
