"""How contents of strangers are read: counted, so that none unpacks to more than is allowed."""

from __future__ import annotations

from dataclasses import dataclass


class Unreadable(Exception):
    """A content is not what its format says, or too much."""


@dataclass
class Reading:
    """How a content is read, and what it may unpack to.

    Attributes:
        any_order: items of lists have no order.
    """

    bytes_left: int
    any_order: bool = False
    values_left: int = 20_000_000
    depth_left: int = 4

    def take(self, size: int, values: int = 0) -> None:
        """Count bytes and values that are about to be held.

        Raises:
            Unreadable: they are too many.
        """
        self.bytes_left -= size
        self.values_left -= values
        if self.bytes_left < 0 or self.values_left < 0:
            raise Unreadable("it unpacks to more than is allowed")

    def descend(self) -> "Reading":
        """One level further in; what is taken there counts here."""
        if self.depth_left <= 0:
            raise Unreadable("archives lie too deep in each other")
        return _Inner(self)


class _Inner(Reading):
    """A level further in."""

    def __init__(self, outer: Reading) -> None:
        super().__init__(0, outer.any_order, 0, outer.depth_left - 1)
        self._outer = outer

    def take(self, size: int, values: int = 0) -> None:
        self._outer.take(size, values)
