"""Shape of objects whose content lies behind pointers of C, of which an adapter knows (trainers/native.py)."""

from __future__ import annotations

from typing import Any, Iterable

from rex.hindsight.capture.graph import LONG_BYTES, Node, Shape, Walk
from rex.hindsight.capture.shapes import Cannot, attribute_pairs, put_attributes
from rex.hindsight.trainers.native import Content, NativeState, state_of


class NativeShape(Shape):
    """Attributes as those of any object; what the pointers lead to is read and put back by the adapter."""

    tag = "native"

    def save(self, walk: Walk, value: Any) -> Node:
        state = state_of(type(value))
        assert state is not None
        own = {name: item for name, item in vars(value).items() if name not in state.pointers}
        content = state.save(value)
        return ("native", walk.ref(type(value)), list(own), walk.refs(own.values()),
                walk.ref(content) if type(content) is tuple or len(content) >= LONG_BYTES else content)

    def pairs(self, node: Node, live: Any) -> Iterable[tuple[Any, Any]]:
        return [(node[1], type(live)), *attribute_pairs(node[2], node[3], vars(live))]

    def fits(self, node: Node, live: Any) -> bool:
        state = state_of(type(live))
        return state is not None and (not state.is_fixed or state.save(live) == node[4])

    def make(self, build: Any, node: Node) -> Any:
        kind = build.get(node[1])
        state = state_of(kind)
        if state is None or state.is_fixed:
            raise Cannot(f"the {kind.__qualname__} of the recording is not found again")
        return state.new(kind)

    def fill(self, build: Any, node: Node, value: Any) -> None:
        state = state_of(type(value))
        assert state is not None
        content = build.get(node[4])
        is_other = not (state.is_fixed or state.is_derived) and _differs(state, value, content)     # before it has other attributes
        put_attributes(value, dict(zip(node[2], build.values(node[3]))), set(vars(value)).difference(state.pointers))
        if state.is_derived:
            build.after(lambda: state.load(value, content))
        elif is_other:
            state.load(value, content)


def _differs(state: NativeState, value: Any, content: Content) -> bool:
    try:
        return state.save(value) != content
    except Exception:     # a new instance may have nothing to save yet; its kind's adapter raises what it likes
        return True
