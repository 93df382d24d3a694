"""The names of annotations, for modules that short commands import: `typing` itself takes a tenth of such a command's time.

To type checkers they are those of `typing`. At run time the collections are those of `collections.abc`, and the others stand for
any value.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import (IO, AbstractSet, Any, BinaryIO, Callable, Collection, Container, Generic, Iterable, Iterator, Mapping, Protocol,
                        Sequence, TypeVar, cast)
else:
    from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    Any = BinaryIO = Protocol = object

    class Generic:
        """A class of any type."""

        def __class_getitem__(cls, _: object) -> type:
            return cls

    IO = Generic

    def TypeVar(name: str) -> str:
        """Stands for any type."""
        return name

    def cast(_: object, value: object) -> object:
        """The value."""
        return value

__all__ = ["IO", "TYPE_CHECKING", "AbstractSet", "Any", "BinaryIO", "Callable", "Collection", "Container", "Generic", "Iterable", "Iterator",
           "Mapping", "Protocol", "Sequence", "TypeVar", "cast"]
