"""Shapes of what users say of classes: never stored, or stored as the class itself tells (rex/state/declared.py)."""

from __future__ import annotations

from typing import Any, Iterable

from rex.hindsight.capture.graph import Node, Shape, Walk
from rex.hindsight.capture.othershapes import OpaqueShape, opaque_node
from rex.state.build import make_own
from rex.state.declared import WHY_NEVER, HookError, own_state, restore_own


class NeverShape(OpaqueShape):
    """Objects that are computed again: a state with one is not complete, so that its loop runs."""

    def save(self, walk: Walk, value: Any) -> Node:
        return opaque_node(walk, value, WHY_NEVER)


class OwnShape(Shape):
    """Objects whose class tells their state. They get it last, when files have their contents; what they hold before they."""

    tag = "own"

    def save(self, walk: Walk, value: Any) -> Node:
        try:
            return "own", walk.ref(type(value)), walk.ref(own_state(value))
        except HookError as error:
            return opaque_node(walk, value, str(error))

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        return [(node[1], type(live))]

    def fits(self, node: Node, live: Any) -> bool:
        return True

    def make(self, build: Any, node: Node) -> Any:
        return make_own(build.get(node[1]))

    def fill(self, build: Any, node: Node, value: Any) -> None:
        build.after(lambda: restore_own(value, build.get(node[2])), is_first=True)
