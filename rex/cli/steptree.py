"""The steps of plain recordings, as `rex tree` prints them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rex.text import clean
from rex.types import format_duration

if TYPE_CHECKING:
    from rex.trees.merge import Node, StepTree

_COMMAND_CHARS, _SHOWN_REASONS, _SHOWN_RUNS = 100, 4, 6


def draw_steps(tree: "StepTree", archive: str) -> str:
    """The steps of all runs: each distinct one once, and below it why it is another than the one in its place."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text
    table = Table(box=box.SIMPLE_HEAD, title=None)
    for heading in ("step", "seconds", "runs", "needs", "command"):
        table.add_column(heading, justify="right" if heading == "seconds" else "left", overflow="fold")
    for node in tree.nodes.values():
        about = Text(clean(node.step.command.replace("\n", " ")[:_COMMAND_CHARS]))
        if node.variant_of:
            for reason in node.reasons[:_SHOWN_REASONS]:
                about.append(f"\nnot {node.variant_of}: {clean(reason)}", style="red" if node.is_random else "yellow")
            if len(node.reasons) > _SHOWN_REASONS:
                about.append(f"\nand {len(node.reasons) - _SHOWN_REASONS} more", style="yellow")
        table.add_row(Text(node.id, style="cyan"), f"{node.seconds:.2f}", Text(_runs(node, tree)),
                      Text(" ".join(sorted(node.needs, key=lambda name: int(name[1:])))), about)
    console = Console(highlight=False)
    with console.capture() as capture:
        console.print(Text(f"{clean(archive)}  {len(tree.runs)} run{'s' if len(tree.runs) != 1 else ''}, {len(tree.nodes)} distinct steps; "
                           f"{format_duration(tree.alone_s)} one by one, {format_duration(tree.shared_s)} with every step once", style="bold"),
                      soft_wrap=True)
        console.print(table)
    return capture.get().rstrip("\n")


def _runs(node: "Node", tree: "StepTree") -> str:
    names = node.runs
    if len(names) == len(tree.runs) and len(names) > 1:
        return f"all {len(names)}"
    return " ".join(names[:_SHOWN_RUNS]) + (f" and {len(names) - _SHOWN_RUNS} more" if len(names) > _SHOWN_RUNS else "")
