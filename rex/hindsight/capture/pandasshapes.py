"""Shapes of what pandas keeps its memory in."""

from __future__ import annotations

import sys
from operator import is_
from typing import Any, Iterable

from rex.hindsight.capture.graph import Node, Shape, Walk
from rex.hindsight.capture.othershapes import ReduceShape, opaque_node


class BlocksShape(ReduceShape):
    """The blocks of a pandas frame, each nobody else's: which frames share one until it is written is not in a pickle."""

    def save(self, walk: Walk, value: Any) -> Node:
        if any(block.refs.has_reference() for block in value.blocks):
            return opaque_node(walk, value, "memory that it shares with another frame")
        return super().save(walk, value)


class BlockRefsShape(Shape):
    """By whom the memory of a pandas index is used: by indexes alone."""

    tag = "blockrefs"

    def save(self, walk: Walk, value: Any) -> Node:
        users = _users(value)
        if not all(hasattr(each, "_references") for each in users):     # other indexes never change either
            return opaque_node(walk, value, "memory that an index shares with a frame")
        return "blockrefs", walk.refs(users)

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        return zip(node[1], _users(live))

    def make(self, build: Any, node: Node) -> Any:
        wanted, live = build.values(node[1]), build.candidate
        if live is not None and len(now := _users(live)) == len(wanted) and all(map(is_, now, wanted)):
            return live
        made = sys.modules["pandas._libs.internals"].BlockValuesRefs()
        for each in wanted:
            made.add_index_reference(each)
        return made


def _users(value: Any) -> list[Any]:
    return [each for reference in value.referenced_blocks if (each := reference()) is not None]
