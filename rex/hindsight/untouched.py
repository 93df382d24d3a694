"""Loggers that nothing has touched since they were restored: found so by identity, all of them at once.

They are by far the largest root of a small script (torch has 83, with their handlers), and hardly a loop changes one.
"""

from __future__ import annotations

from gc import get_referents
from itertools import chain
from operator import is_
from typing import Any, Iterable, Mapping

from rex.hindsight.graph import Node, RootState, Snapshot, base_of
from rex.hindsight.interpreter import LOGGERS

_Held = tuple[list[Any], ...]


class Untouched:
    """Knows the loggers as they were restored last.

    It holds what they hold until they are restored again. Of other roots that could keep alive what the program drops; these are
    their libraries' for good.
    """

    def __init__(self) -> None:
        self._root = RootState(LOGGERS, None, [])
        self._numbers = range(0)      # of its nodes; none if not all of them can be looked at like this
        self._objects: dict[int, Any] = {}
        self._held: _Held = ()

    def objects(self, saved: Snapshot) -> dict[int, Any]:
        """Their live objects by the numbers of their nodes, if they are what they are to be; else none."""
        root = _loggers_of(saved)
        return self._objects if root is not None and root.digest == self._root.digest and self._are_same() else {}

    def known(self, name: str, value: Any) -> tuple[RootState, dict[int, Any]] | None:
        """The loggers and their objects, if this is their root, and it is as it was."""
        if name != LOGGERS or not self._objects or not self._are_same():
            return None
        level, loggers = self._objects[self._numbers[0]]     # lists that only we have
        return (self._root, self._objects) if value[0] == level and _is_same((value[1],), (loggers,)) else None

    def _are_same(self) -> bool:
        return _is_same(self._held, _held(self._objects.values()))

    def note(self, saved: Snapshot, objects: Mapping[int, Any]) -> None:
        """A state was restored, with these objects."""
        root = _loggers_of(saved) or RootState(LOGGERS, None, [])
        if root.digest != self._root.digest:
            self._root, self._numbers = root, _seen_numbers(root)
        self._objects = {number: objects[number] for number in self._numbers}
        self._held = _held(self._objects.values())


def _loggers_of(saved: Snapshot) -> RootState | None:
    return next((root for root in saved.roots if root.name == LOGGERS), None)


def _seen_numbers(root: RootState) -> range:
    own = range(base_of(root.name), base_of(root.name) + len(root.nodes))
    return own if all(_is_seen(node, own) for node in root.nodes) else range(0)


def _is_seen(node: Node, own: range) -> bool:
    """Whether the live object can only differ from a node by what it refers to, and refers to nothing of another root's."""
    tag = node[0]
    if tag == "object":
        return len(node) == 6 and not node[4] and all(ref[0] in own for ref in (node[1], *node[3]) if type(ref) is tuple)
    if tag == "function":     # closures have cells, whose content is another matter
        return not node[7] and node[5] is None and node[6] is None and not node[4]
    if tag in ("list", "logger"):
        parts = node[1:] if tag == "list" else node[5:]
        return all(ref[0] in own for ref in chain(*parts) if type(ref) is tuple)
    return tag in ("global", "opaque") or tag == "file" and node[3] is None


def _held(objects: Iterable[Any]) -> _Held:
    """All that some objects hold directly or by their attributes, their classes, and names and number of these."""
    spaces = [getattr(each, "__dict__", ()) for each in objects]
    lists = [each for each in objects if type(each) is list]
    for each in spaces:
        if "propagate" in each:    # a logger's: its node has what is in them
            lists += each["filters"], each["handlers"]
    return (get_referents(*objects, *spaces, *lists), list(map(type, objects)), list(chain.from_iterable(spaces)),
            list(map(len, spaces)), list(map(len, lists)))


def _is_same(some: _Held, others: _Held) -> bool:
    return all(len(one) == len(other) and all(map(is_, one, other)) for one, other in zip(some, others))
