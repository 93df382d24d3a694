"""A live session: hooks around each cell, and what the `%rex` commands do to the kernel."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
import time
import types
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator

from rex.archive import Archive, Content
from rex.errors import NotFound, RexError, UsageError
from rex.notebook import document
from rex.notebook.bound import Bound
from rex.notebook.classes import Classes
from rex.notebook.entries import graph_of, node_of
from rex.notebook.graph import Graph, Node, check_name
from rex.notebook.keeper import Keeper, default_name, find_session, finish_crashed, path_of
from rex.notebook.outputs import Output, OutputCapture, error_output, pack, unpack
from rex.notebook.progress import Progress
from rex.notebook.source import Source
from rex.notebook.views import view_of
from rex.state import (Delta, History, Restored, StateTracker, checkout, load_history, values_at)
from rex.types import format_size

_OWN_NAME = re.compile(r"In|Out|_i?\d+|_i{1,3}|_{1,3}|_[iod]h|_exit_code|__.*__|__vsc_.*")
_MAX_VIEWS = 2000
_TOLD_BYTES = 64 << 20   # more of it at the end takes a while


@dataclass(frozen=True, slots=True)
class Options:
    """Where a session is kept.

    Attributes:
        max_bytes: of the archive; None: no limit.
    """

    archive: str = "__default"
    name: str | None = None
    max_bytes: int | None = None


@dataclass(slots=True)
class CheckedOut:
    """What a checkout did.

    Attributes:
        file: where cells were written; kept: where what was there before is.
    """

    node: int
    branch: str
    head: str
    restored: Restored
    seconds: float
    file: str = ""
    kept: str = ""
    added: list[str] = field(default_factory=list)


class Session:
    """Follows the cells of one kernel."""

    def __init__(self, shell: Any, options: Options, warn: Callable[[str], None]) -> None:
        """Prepare; nothing is hooked or written yet.

        Args:
            shell: IPython's.
            warn: tells the user one line.
        """
        self.shell, self.options, self.warn = shell, options, warn
        self.namespace: dict[str, Any] = shell.user_ns
        self._hidden = dict(shell.user_ns_hidden)   # later IPython adds what ran at its start, a resumed state too
        self.graph = Graph()
        self.tracker = self._new_tracker(None)
        self.keeper: Keeper | None = None
        self._bound: Bound | None = None
        self._made_from, self._path = "", document.find_path(self.namespace)   # of the notebook file
        self._capture = OutputCapture(shell)
        self._file = document.Watch(self._path)
        self._source: Source | None = None    # of the running cell
        self._raw, self._cell_id, self._started_ns = "", "", 0
        self._has_place = True                # it has a number in the kernel's history
        self._has_problem = False             # cells cannot be written
        self._has_lost_track = False          # a look was cut short: look at all
        self._running: types.FrameType | None = None     # of the shell, while it runs a cell
        self.classes = Classes()

    def _new_tracker(self, history: History | None) -> StateTracker:
        return StateTracker(self.namespace, history, ignore=self._is_own_name)

    def _is_own_name(self, name: str) -> bool:
        """Whether a variable is IPython's, not the user's."""
        if _OWN_NAME.fullmatch(name):
            return True
        return name in self._hidden and self._hidden[name] is self.namespace.get(name)

    # -- hooks ---------------------------------------------------------------

    def start(self) -> None:
        """Listen to cells from now on."""
        self.classes.follow(self.graph)
        self.shell.events.register("pre_run_cell", self._before_cell)
        self.shell.events.register("post_run_cell", self._after_cell)

    def stop(self) -> str:
        """Listen no more, finish the experiment; its name, or "" where nothing was kept."""
        self._capture.stop()
        for event, hook in (("pre_run_cell", self._before_cell), ("post_run_cell", self._after_cell)):
            with contextlib.suppress(ValueError):
                self.shell.events.unregister(event, hook)
        name = ""
        if self.keeper is not None:
            self.tracker.settle_doubts()
            if (waiting := self.keeper.store.pending_bytes) > _TOLD_BYTES:
                self.warn(f"writing {format_size(waiting)}")
            experiment = self.keeper.close(self.tracker.history)
            name = experiment.name if experiment else ""
            self.keeper = None
        self.tracker.close()
        self.classes.forget()
        return name

    def _before_cell(self, info: Any) -> None:
        if self._is_within_cell():
            return     # a magic runs its body, which is part of the cell
        self._running = _running_frame()
        try:
            if self.keeper is not None:
                self.keeper.make_safe()
                self._tell_problem()
            transformed = getattr(info, "transformed_cell", None)
            if transformed is None:
                transformed = self.shell.transform_cell(info.raw_cell)
            self._raw = info.raw_cell
            self._has_place = bool(getattr(info, "store_history", True))
            self._cell_id = str(getattr(info, "cell_id", None) or "")
            self._source = Source(transformed, self.shell.transform_cell)
            self._started_ns = time.time_ns()
            self.tracker.before_cell(self._source.code, self._source.is_wide or self._has_lost_track,
                                     self._source.named)
            self._capture.start()
        except Exception as error:
            self._trouble(error)

    def _after_cell(self, result: Any) -> None:
        if self._is_within_cell():
            return
        self._running = None
        try:
            outputs = self._capture.stop()
            error = result.error_before_exec or result.error_in_exec
            if error is not None:
                outputs.append(error_output(error))
            source, self._source = self._source, None
            if source is None or source.is_empty:
                if source is not None or self.graph.nodes:
                    return   # nothing but our own commands
                self.tracker.before_cell("")   # the cell that loaded us: all that there is
                self._raw = getattr(getattr(result, "info", None), "raw_cell", "") or ""
                self._started_ns = time.time_ns()
            if result.error_before_exec is not None:
                self.tracker.before_cell("")   # it did not run
            number = (getattr(result, "execution_count", None) or 0) if self._has_place else 0
            is_hidden = not self._has_place and bool(self.graph.nodes)
            self._settle(error, outputs, number, is_hidden)
        except KeyboardInterrupt:
            self._has_lost_track = True
            self.warn("interrupted; the next cell's checkpoint holds this one's changes too")
        except Exception as error:
            self._trouble(error)

    def _is_within_cell(self) -> bool:
        """Whether the cell that was noted last runs still, around the one that begins."""
        frame: types.FrameType | None = sys._getframe(1)
        while frame is not None and frame is not self._running:
            frame = frame.f_back
        return frame is not None

    def _trouble(self, error: Exception) -> None:
        self._has_lost_track = True
        self.warn(f"this cell was not kept: {type(error).__name__}: {error}"
                  if not isinstance(error, RexError) else f"this cell was not kept: {error}")

    def _settle(self, error: BaseException | None, outputs: list[Output], number: int,
                is_hidden: bool) -> None:
        """Add the node of what ran; a hidden one (no place in the history) only if it changed anything."""
        delta = self.tracker.after_cell(error is None, number)
        if is_hidden and not delta.removed and all(name.startswith("<") for name in delta.changed):
            del self.tracker.history.deltas[delta.node]
            self.tracker.head = delta.parent
            return
        self._has_lost_track = False
        for failure in self.classes.failures(delta):
            self.warn(failure)
        branch, _ = self.graph.next_branch()
        facts: dict[str, Any] = {"count": number or None, "start_ns": self._started_ns,
                                 "branch": branch, "views": self._views(delta)}
        if self._raw != delta.code:
            facts["raw"] = self._raw
        if self._cell_id:
            facts["cell_id"] = self._cell_id
        if error is not None:
            facts["error"] = f"{type(error).__name__}: {outputs[-1]['evalue']}"[:400]
        delta.facts.update(facts)
        node = node_of(delta)
        self.graph.add(node)
        keeper = self._open()

        def draft(put: Callable[[bytes], Content]) -> dict[str, Any]:
            packed = pack(outputs, lambda data: put(data).to_json())
            return {**facts, **({"outputs": packed} if outputs else {})}

        saved: list[bytes | None] = []

        def complete(put: Callable[[bytes], Content]) -> dict[str, Any]:
            found = draft(put)
            node.outputs = found.get("outputs", [])
            if not saved:   # writing may be tried again
                saved.append(self._file.changed())
            if saved[0] is not None:
                node.document = found["document"] = put(saved[0]).to_json()
            return found

        keeper.save(delta, complete, draft)
        self._tell_problem()
        if self._bound is not None:
            self._bound.look(self.tracker.history, self.graph, self.warn)

    def _tell_problem(self) -> None:
        """Say once that cells cannot be written, and once that they can again."""
        problem = self.keeper.store.problem if self.keeper else None
        if problem and not self._has_problem:
            self.warn(f"cells cannot be written to {self.options.archive}: {problem}; until they can, they are in "
                      "this kernel's memory only")
        elif self._has_problem and not problem:
            self.warn(f"cells are written to {self.options.archive} again; none is missing")
        self._has_problem = problem is not None

    def _views(self, delta: Delta) -> dict[str, Any]:
        names = [name for name in delta.changed if not name.startswith("<")]
        return {name: view_of(self.namespace[name]) for name in names[:_MAX_VIEWS]
                if name in self.namespace}

    def _open(self) -> Keeper:
        if self.keeper is None:
            facts = {"path": self._path, "pid": os.getpid(),
                     "connection": _connection_file(self.shell)}
            self.keeper = Keeper(self.options.archive, self.options.name or
                                 default_name(self._path), facts, self._made_from)
            if self.options.max_bytes is not None:
                self._bound = Bound(self.options.max_bytes, self.keeper.archive,
                                    self.keeper.recording, self.keeper.store)
        return self.keeper

    # -- commands ------------------------------------------------------------

    def note(self, **facts: Any) -> None:
        """Change names or the head, and keep that."""
        self.graph.apply(facts)
        if self.keeper is not None or self.graph.nodes:
            self._open().store.note({**facts, "after": max(self.graph.nodes, default=0)})

    def checkout(self, text: str, file: str | None = None, force: bool = False) -> CheckedOut:
        """Make the kernel's variables what they were after a node; running on makes a branch.

        Args:
            text: id, -N, tag or branch.
            file: where to write the notebook's cells of that state too.
        """
        node = self.graph.resolve(text)
        self._keep_running_cell()
        before = set(self.namespace)
        started_s = time.perf_counter()
        keeper = self._open()
        with self._hushed(), Progress() as progress:
            restored = checkout(self.tracker, node, keeper.store.read, self._run_again, progress.tell)
        branch = text if text in self.graph.branches else next(
            (name for name in [self.graph.branch, *self.graph.branches]
             if self.graph.branches.get(name) == node), "")
        self.note(kind="head", node=node, name=branch)
        found = CheckedOut(node, branch, self.graph.nodes[node].head if node else "", restored,
                           time.perf_counter() - started_s)
        found.added = sorted(n for n in self.namespace.keys() - before if not self._is_own_name(n))
        if file is not None:
            found.kept = document.write(self.document(node), file, force)
            found.file = file
        return found

    def _keep_running_cell(self) -> None:
        """What the running cell did before a checkout is kept as a node of its own."""
        if self._source is not None and not self._source.is_empty:
            self._settle(None, [], 0, True)

    def undo(self) -> CheckedOut:
        """Go back to before the last cell."""
        if not self.graph.head:
            raise UsageError("there is nothing to undo")
        parent = self.graph.nodes[self.graph.head].parent
        if not parent:
            raise UsageError("this is the first state")
        return self.checkout(str(parent))

    def document(self, node: int) -> document.Document:
        """The notebook file of a state."""
        keeper = self._open()
        keeper.store.wait()
        return document.build(self.graph, node, lambda ref: keeper.archive.read(Content(*ref)))

    def outputs(self, node: Node) -> list[Output]:
        """What a cell showed."""
        keeper = self._open()
        keeper.store.wait()
        return unpack(node.outputs, lambda ref: keeper.archive.read(Content(*ref)))

    def value(self, text: str, name: str) -> Any:
        """A variable's former value, as an object of its own."""
        node = self.graph.resolve(text)
        with self._hushed():
            return values_at(self.tracker, node, [name], self._open().store.read,
                             self._run_again)[name]

    def treat(self, name: str, how: str) -> None:
        """Treat objects of a class so from now on; "": store them."""
        self.note(kind="class", name=name, how=how)
        self.classes.follow(self.graph)
        self._has_lost_track = True

    def set_tag(self, name: str, text: str | None = None) -> int:
        """Name a node."""
        check_name(name)
        if name in self.graph.branches:
            raise UsageError(f"{name} is a branch", "", "choose another name")
        node = self.graph.head if text is None else self.graph.resolve(text)
        self.note(kind="tag", name=name, node=node)
        return node

    def set_branch(self, name: str, text: str | None = None) -> int:
        """Begin a branch at a node; without a node here, and go on with it."""
        check_name(name)
        if name in self.graph.branches or name in self.graph.tags:
            raise UsageError(f"{name} exists", "", "choose another name, or remove it with -d")
        node = self.graph.head if text is None else self.graph.resolve(text)
        self.note(kind="branch", name=name, node=node)
        if text is None:
            self.note(kind="head", node=node, name=name)
        return node

    def remove_name(self, kind: str, name: str) -> None:
        """Remove a tag or a branch; the nodes stay."""
        if name not in (self.graph.tags if kind == "tag" else self.graph.branches):
            raise NotFound(f"no {kind} {name}")
        self.note(kind=kind, name=name, node=None)

    def resume(self, path: str, name: str | None, at: str | None = None) -> CheckedOut:
        """Go on with the states of an earlier session, its kernel dead or alive no matter.

        The states are loaded into this kernel; this session's experiment begins with them.

        Raises:
            UsageError: cells of this session were kept already.
        """
        archive = Archive.open(path)
        experiment = find_session(archive, name, self.keeper.name if self.keeper else "",
                                  self._file.path)
        if len(self.graph.nodes) > 1:
            raise UsageError("this kernel has states of its own", "",
                             "resume right after %load_ext rex.notebook, in a fresh kernel")
        finish_crashed(archive, experiment)
        history = load_history(archive, archive.experiment(experiment.name))
        graph = graph_of(history)
        if not graph.nodes:
            raise NotFound(f"{experiment.name} has no cells")
        self._path = self._path or path_of(experiment)
        self._begin_anew(path, experiment.name, history, graph)
        shell_count = max(graph.nodes) + 1
        if getattr(self.shell, "execution_count", 0) <= shell_count:
            self.shell.execution_count = shell_count
        return self.checkout(at or str(graph.head))

    def _begin_anew(self, path: str, name: str, history: History, graph: Graph) -> None:
        if self.keeper is not None:
            self.keeper.close(History())   # nothing but the fresh kernel's first cell
            self.keeper = None
        self.tracker.close()
        self.options = Options(path, self.options.name or re.sub(r"-\d+$", "", name),
                               self.options.max_bytes)
        self._made_from = name
        self.graph, self.tracker = graph, self._new_tracker(history)
        self._source = None
        self._open().store.adopt(history)
        self.classes.follow(graph)

    # -- running cells again ---------------------------------------------------

    @contextlib.contextmanager
    def _hushed(self) -> Iterator[None]:
        """Within it nothing is displayed: cells that run again showed it once."""
        publisher = self.shell.display_pub
        had = publisher.__dict__.get("publish")
        publisher.publish = lambda *args, **kwargs: None
        try:
            yield
        finally:
            del publisher.publish
            if had is not None:
                publisher.publish = had

    def _run_again(self, code: str, namespace: dict[str, Any]) -> None:
        compiled = compile(code, "<cell>", "exec", dont_inherit=True,
                           flags=_TOP_LEVEL_AWAIT)
        if not compiled.co_flags & 0x80:   # CO_COROUTINE
            exec(compiled, namespace)
            return
        running = asyncio._get_running_loop()
        asyncio._set_running_loop(None)   # ours runs meanwhile
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(types.FunctionType(compiled, namespace)())
        finally:
            loop.close()
            asyncio._set_running_loop(running)


def _running_frame() -> types.FrameType | None:
    """The frame of the shell that runs the cell of a hook's call."""
    frame: types.FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_name != "run_cell_async":
        frame = frame.f_back
    return frame


_TOP_LEVEL_AWAIT = 0x2000   # ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def _connection_file(shell: Any) -> str:
    """The file by which clients reach this kernel; "" in a plain terminal."""
    kernel = getattr(shell, "kernel", None)
    parent = getattr(kernel, "parent", None)
    path = getattr(parent, "abs_connection_file", "") or getattr(parent, "connection_file", "")
    return os.path.abspath(path) if isinstance(path, str) and path else ""
