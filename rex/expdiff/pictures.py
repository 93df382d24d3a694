"""Pictures of how outputs of experiments differ that are pictures."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable, Iterator

from rex.contents.client import Comparer
from rex.contents.picture import Picture
from rex.contents.rules import Rules

if TYPE_CHECKING:
    from rex.expdiff.many import Subject, Table

_ENDINGS = (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".svg", ".pdf")
_MOST = 40     # pictures of one comparison
Writer = Callable[[str], None]


@dataclass(frozen=True)
class Drawing:
    """How an output of one experiment differs from that of another.

    Attributes:
        picture: it, or why there is none.
    """

    output: str
    left: str
    right: str
    picture: Picture | str


def is_named_picture(name: str) -> bool:
    """Whether a file is a picture by its name."""
    return name.lower().endswith(_ENDINGS)


def draw_pair(name: str, writers: tuple[Writer, Writer], comparer: Comparer) -> Picture | str:
    """The picture of how two contents differ, or why there is none; writers: what writes each to a file."""
    with tempfile.TemporaryDirectory(prefix="rex-") as folder:
        paths = [os.path.join(folder, side) for side in ("left", "right")]
        for write, path in zip(writers, paths):
            write(path)
        return comparer.draw(name, *paths)


def draw_differences(table: "Table") -> Iterator[Drawing]:
    """For each output that is a picture: how the first experiment of each group differs from the first of all."""
    pairs: list[tuple[str, Subject, Subject]] = []
    for name, groups in table.results.items():
        firsts = {group: table.subjects[at] for at, group in reversed(list(enumerate(groups)))}
        if is_named_picture(name) and len(firsts) > 1:
            pairs += [(name, firsts[0], firsts[group]) for group in sorted(firsts)[1:] if name in firsts[0].contents and name in firsts[group].contents]
    with Comparer(Rules()) as comparer:
        for name, one, two in pairs[:_MOST]:
            writers = [lambda path, each=each: each.archive.extract(each.contents[name], path) for each in (one, two)]   # type: ignore[misc]
            yield Drawing(name, one.name, two.name, draw_pair(name, (writers[0], writers[1]), comparer))
