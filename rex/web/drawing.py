"""Graphs as elements of a page."""

from __future__ import annotations

from rex import picture
from rex.errors import NotFound

MAX_NODES = 1500


def draw(graph: picture.Graph) -> str:
    """A graph as SVG, which holds text and shapes only.

    Raises:
        NotFound: it is too large to be of use.
    """
    if len(graph.nodes) > MAX_NODES:
        raise NotFound(f"this picture would have {len(graph.nodes)} boxes", "nobody could read it", "see: rex show --graph dot")
    return picture.as_svg(graph)
