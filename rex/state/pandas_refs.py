"""Keep pandas' book of who shares memory: copy-on-write decides by it whether to copy.

Pandas leaves it out of its pickles. Without it two frames that came back
sharing memory, as they did, would write into each other.
"""

from __future__ import annotations

from typing import Any


def make_refs() -> Any:
    """An empty book; blocks and indexes enter themselves."""
    from pandas._libs.internals import BlockValuesRefs
    return BlockValuesRefs()


def make_block(unpickle: Any, arguments: tuple[Any, ...], refs: Any) -> Any:
    """A block that stands in the book of its memory."""
    block = unpickle(*arguments)
    block.refs = refs
    refs.add_reference(block)
    return block


def set_index(index: Any, refs: Any) -> None:
    """Enter an index that looks into others' memory."""
    index._references = refs
    refs.add_index_reference(index)


def reduce_refs(refs: Any) -> Any:
    """The book itself: its entries come from those who stand in it."""
    return make_refs, ()


def reduce_block(block: Any) -> Any:
    """A block with its book."""
    unpickle, arguments = block.__reduce__()[:2]
    return make_block, (unpickle, arguments, block.refs)


def reduce_index(index: Any) -> Any:
    """An index; with its book if somebody else stands in it."""
    refs = getattr(index, "_references", None)
    if refs is None or not refs.has_reference():
        return NotImplemented
    build, arguments = index.__reduce__()[:2]
    return build, arguments, refs, None, None, set_index


_BLOCKS = "pandas.core.internals.blocks"
REDUCERS = {
    ("pandas._libs.internals", "BlockValuesRefs"): reduce_refs,
    **{(_BLOCKS, name): reduce_block for name in
       ("NumpyBlock", "ExtensionBlock", "NDArrayBackedExtensionBlock", "DatetimeLikeBlock",
        "DatetimeTZBlock", "NumericBlock", "ObjectBlock", "CategoricalBlock")},
    **{(module, name): reduce_index for name in
       ("Index", "DatetimeIndex", "TimedeltaIndex", "PeriodIndex", "CategoricalIndex",
        "IntervalIndex") for module in ("pandas", "pandas.core.indexes.base",
                                        "pandas.core.indexes." + name[:-5].lower())},
}
