"""Compare two notebook sessions: the cells that led to their last states, and the variables there."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from rex.errors import UsageError
from rex.expdiff.difference import (COMMAND, ENVIRONMENT, MACHINE, ONLY_LEFT, ONLY_RIGHT, Comparison,
                                    Difference, compare_values)
from rex.extras import missing

if TYPE_CHECKING:
    from rex.archive import Experiment
    from rex.notebook.graph import Graph

CELLS, VARIABLES = "cells", "variables"


def compare_sessions(left: "Experiment", right: "Experiment", depth: int) -> Comparison:
    """What differs between the last states of two sessions, and how they came about.

    Nothing is unpickled: variables are compared by the hashes of what was kept, and shown by the
    views that were noted when the cells ran.

    Raises:
        UsageError: one of them is no session, or a library is missing.
    """
    for experiment, other in ((left, right), (right, left)):
        if not experiment.is_session:
            raise UsageError(f"{other.name} is a notebook session, {experiment.name} is not",
                             "they have nothing to compare")
    try:
        from rex.notebook.index import read_graph
    except ImportError as error:
        raise missing("notebook", "cannot read notebook sessions") from error
    found = Comparison(depth)
    one, two = left.manifest, right.manifest
    found.components[COMMAND] = [] if one.command == two.command else [
        Difference("notebook", left=one.command[-1], right=two.command[-1])]
    found.components[ENVIRONMENT] = compare_values(one.environment, two.environment)
    found.components[MACHINE] = compare_values(one.machine, two.machine)
    graphs = read_graph(left), read_graph(right)
    found.components[CELLS] = _compare_cells(*graphs)
    found.components[VARIABLES] = _compare_variables(*graphs)
    return found


def _cells(graph: "Graph") -> list[str]:
    return [graph.nodes[node].code for node in reversed(graph.path(graph.head))]


def _compare_cells(left: "Graph", right: "Graph") -> list[Difference]:
    one, two = _cells(left), _cells(right)
    found = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, one, two, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        kind = "differs" if i2 > i1 and j2 > j1 else ONLY_LEFT if i2 > i1 else ONLY_RIGHT
        numbers = [left.path(left.head)[::-1][at] for at in range(i1, i2)] or [
            right.path(right.head)[::-1][at] for at in range(j1, j2)]
        item = f"cell {numbers[0]}" if len(numbers) == 1 else f"cells {numbers[0]} to {numbers[-1]}"
        found.append(Difference(item, kind, "\n".join(one[i1:i2]) or None, "\n".join(two[j1:j2]) or None))
    return found


def _compare_variables(left: "Graph", right: "Graph") -> list[Difference]:
    from rex.notebook.views import changes_between, view_text
    one, two = _state(left), _state(right)
    found = []
    for name in sorted(one.keys() | two.keys()):
        old, new = one.get(name), two.get(name)
        if old and new and old[0] == new[0]:
            continue
        kind = "differs" if old and new else ONLY_LEFT if old else ONLY_RIGHT
        notes = changes_between(old[1], new[1]) if old and new else []
        found.append(Difference(name, kind, view_text(old[1]) if old else None,
                                view_text(new[1]) if new else None, tuple(notes[:20])))
    return found


def _state(graph: "Graph") -> dict[str, tuple[str, Any]]:
    """Hash and view of each variable at the head; the environment's are reported elsewhere."""
    return {name: (graph.nodes[made].digests.get(version, ""), graph.nodes[made].views.get(name))
            for name, (version, made) in graph.state(graph.head).items() if not name.startswith("<")}
