"""The processes of an experiment as a tree, drawn with branches."""

from __future__ import annotations

from rex.archive.manifest import Process


def process_tree(processes: tuple[Process, ...]) -> list[tuple[str, Process]]:
    """Every process with the branch to draw before it, parents before children."""
    known = {process.task for process in processes}
    children: dict[int | None, list[Process]] = {}
    for process in processes:
        is_root = process.parent not in known or process.parent == process.task
        children.setdefault(None if is_root else process.parent, []).append(process)
    rows: list[tuple[str, Process]] = []
    seen: set[int] = set()
    waiting = [("", "", process) for process in reversed(children.get(None, []))]
    while waiting:
        branch, below, process = waiting.pop()
        if process.task in seen:
            continue
        seen.add(process.task)
        rows.append((branch, process))
        its = sorted(children.get(process.task, []), key=lambda each: each.ordinal)
        for number, child in reversed(list(enumerate(its))):
            is_last = number == len(its) - 1
            waiting.append((below + ("└─ " if is_last else "├─ "),
                            below + ("   " if is_last else "│  "), child))
    return rows
