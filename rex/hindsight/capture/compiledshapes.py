"""Shape of functions that `torch.compile` wrapped (also those of `Module.compile`)."""

from __future__ import annotations

import types
from typing import Any, Iterable

from rex.hindsight.capture.graph import Node, Shape, Walk
from rex.hindsight.capture.shapes import Cannot

_ORIGIN = "_torchdynamo_orig_callable"     # attribute that holds the function


class CompiledShape(Shape):
    """The wrapper stays as it lives: the compiler's tables belong to its process. The function is walked."""

    tag = "compiled"

    def takes(self, value: types.FunctionType) -> bool:
        """Whether a function is such a wrapper."""
        return _ORIGIN in value.__dict__

    def save(self, walk: Walk, value: Any) -> Node:
        return "compiled", walk.ref(value.__dict__[_ORIGIN])

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        return [(node[1], live.__dict__.get(_ORIGIN))]

    def fits(self, node: Node, live: Any) -> bool:
        return isinstance(live, types.FunctionType) and self.takes(live)

    def make(self, build: Any, node: Node) -> Any:
        raise Cannot("a function that torch.compile wrapped is not found again")

    def fill(self, build: Any, node: Node, value: Any) -> None:
        pass
