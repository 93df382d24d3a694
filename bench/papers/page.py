"""The page docs/papers.md: its made parts, tables, numbers behind plots, and plots in one style."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, FOLDER = DOCS / "papers.md", DOCS / "papers"
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#7f7f7f")
_MARKS = "os^Dv*xP"

# Of one panel: title, name of the x axis, and for each curve its points.
Curves = Mapping[str, Sequence[tuple[float, float]]]
Panel = tuple[str, str, Curves]


class Missing(Exception):
    """A library that a part needs is not installed."""


def put(name: str, text: str) -> None:
    """Replace one made part of the page."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- {name}: made by `make papers` -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = page.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{PAGE} has no part {name!r}")
    PAGE.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")


def table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def write_csv(name: str, heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Numbers as a file beside the page; a link to it."""
    FOLDER.mkdir(exist_ok=True)
    with open(FOLDER / name, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(heads)
        writer.writerows(rows)
    return f"[{name}](papers/{name})"


def plot(name: str, alt: str, panels: Sequence[Panel], y_axis: str, columns: int = 4, leaves: str = "", is_log: bool = False) -> str:
    """Draw panels side by side; a link to the picture, or nothing where matplotlib is missing.

    Args:
        leaves: a curve that may leave its panel at the top.
        is_log: a logarithmic y axis.
    """
    try:
        import matplotlib
    except ImportError:
        print(f"no matplotlib: {name} was not drawn")
        return ""
    matplotlib.use("Agg")
    from matplotlib import pyplot
    height = -(-len(panels) // columns)
    figure, grid = pyplot.subplots(height, columns, squeeze=False, layout="constrained", figsize=(3.3 * columns, 2.7 * height))
    for place, (title, x_axis, curves) in zip(grid.flat, panels):
        draw(place, curves)
        place.set(title=title, xlabel=x_axis, ylabel=y_axis, yscale="log" if is_log else "linear")
        if leaves:
            seen = [y for name, points in curves.items() if name != leaves for _, y in points]
            margin = 0.08 * (max(seen) - min(seen)) + 1e-4
            place.set_ylim(min(seen) - margin, max(seen) + margin)
    for place in list(grid.flat)[len(panels):]:
        place.remove()
    FOLDER.mkdir(exist_ok=True)
    figure.savefig(FOLDER / name, dpi=75)
    pyplot.close(figure)
    return f"![{alt}](papers/{name})\n"


def draw(place: Any, curves: Curves) -> None:
    """The curves of one panel; the same name has the same color in panels of the same names."""
    for number, (label, points) in enumerate(curves.items()):
        place.plot(*zip(*points), label=label, color=_COLORS[number % 8], marker=_MARKS[number % 8], markersize=4, linewidth=1.2)
    place.grid(alpha=0.25)
    place.legend(fontsize=7)
