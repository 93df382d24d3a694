"""What a side panel asks the kernel for: the graph of cells and what differs, over a Jupyter comm (docs/formats/panel.md)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Callable

from rex.errors import RexError
from rex.notebook.views import changes_between, view_text

if TYPE_CHECKING:
    from rex.notebook.graph import Graph, Node, VariableChange
    from rex.notebook.session import Session

TARGET = "rex.notebook"
FORMAT = 1


@dataclass(slots=True)
class _Open:
    """A panel that is open, and how many nodes of which graph it has."""

    comm: Any
    graph: "Graph | None" = None
    sent: int = 0


class Panels:
    """The open panels of one kernel; each gets the graph after each cell."""

    def __init__(self, shell: Any, session: Callable[[], "Session | None"]) -> None:
        """Accept panels, where the shell is a kernel's.

        Args:
            session: the session of now; None while Rex is off.
        """
        self._shell, self._session = shell, session
        self._open: dict[str, _Open] = {}
        self._is_listening = False
        self._manager = getattr(getattr(shell, "kernel", None), "comm_manager", None)
        if self._manager is not None:
            self._manager.register_target(TARGET, self._opened)

    def listen(self) -> None:
        """Tell the panels after each cell; behind the session, whose hooks were registered before."""
        self.pause()
        self._shell.events.register("post_run_cell", self._tell)
        self._is_listening = True
        self._tell()

    def pause(self) -> None:
        """Tell them no more."""
        if self._is_listening:
            self._shell.events.unregister("post_run_cell", self._tell)
            self._is_listening = False

    def close(self) -> None:
        """Refuse panels from now on."""
        self.pause()
        for panel in list(self._open.values()):
            panel.comm.close()
        self._open.clear()
        if self._manager is not None:
            self._manager.unregister_target(TARGET, self._opened)

    def tell(self) -> None:
        """Tell each panel how things are now."""
        for panel in list(self._open.values()):
            panel.comm.send(self._state(panel))

    def _tell(self, *_: object) -> None:
        if self._open:
            self.tell()

    def _opened(self, comm: Any, _: Any) -> None:
        panel = self._open[comm.comm_id] = _Open(comm)
        comm.on_msg(lambda message: self._asked(panel, message["content"]["data"]))
        comm.on_close(lambda _: self._open.pop(comm.comm_id, None))
        comm.send(self._state(panel))

    def _asked(self, panel: _Open, question: Any) -> None:
        number = question.get("id") if isinstance(question, dict) else None
        try:
            panel.comm.send({"kind": "diff", "id": number, "changes": self._diff(question)})
        except (RexError, KeyError, TypeError, ValueError) as error:
            text = str(error) if isinstance(error, RexError) else "the kernel does not understand this panel; reload the page"
            panel.comm.send({"kind": "error", "id": number, "text": text})

    def _diff(self, question: dict[str, Any]) -> list[dict[str, Any]]:
        session = self._session()
        if question["kind"] != "diff" or session is None:
            raise ValueError(question["kind"])
        changes = session.graph.difference(int(question["one"]), int(question["other"]))
        return [_change_json(change) for change in changes if not change.name.startswith("<")]

    def _state(self, panel: _Open) -> dict[str, Any]:
        session = self._session()
        if session is None:
            panel.graph = None
            return {"kind": "state", "format": FORMAT, "is_on": False}
        graph, keeper = session.graph, session.keeper
        if panel.graph is not graph:
            panel.graph, panel.sent = graph, 0
        nodes = [_node_json(node) for node in islice(graph.nodes.values(), panel.sent, None)]
        first, panel.sent = panel.sent, len(graph.nodes)
        return {"kind": "state", "format": FORMAT, "is_on": True,
                "kept_in": f"{session.options.archive}:{keeper.name}" if keeper else session.options.archive,
                "head": graph.head, "branch": graph.branch, "branches": graph.branches, "tags": graph.tags,
                "first": first, "nodes": nodes}


def _node_json(node: "Node") -> dict[str, Any]:
    return {"number": node.number, "parent": node.parent, "branch": node.branch, "head": node.head,
            "seconds": round(node.cell_s, 3), "is_complete": node.is_complete, "error": node.error,
            "variables": node.variables, "removed": sorted(name for name in node.removed if not name.startswith("<"))}


def _change_json(change: "VariableChange") -> dict[str, Any]:
    return {"name": change.name, "kind": change.kind,
            "old": None if change.old is None else view_text(change.old),
            "new": None if change.new is None else view_text(change.new),
            "details": list(changes_between(change.old, change.new)) if change.kind == "changed" else []}
