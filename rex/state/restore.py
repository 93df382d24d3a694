"""Make the live state equal a former one: load what differs, re-run what cannot be loaded."""

from __future__ import annotations

import base64
import contextlib
import os
import pickle
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Iterator

from rex.errors import NotFound, RexError, UsageError
from rex.state import environment, recompute
from rex.state.definitions import define
from rex.state.effects import forbid_effects, no_bytecode_files
from rex.state.load import Living, load
from rex.state.rehearsal import rehearse
from rex.state.tracker import StateTracker
from rex.state.versions import Delta, Reader, Version

Run = Callable[[str, dict[str, Any]], None]
Progress = Callable[[str, float], None]


@dataclass(slots=True)
class Restored:
    """How a checkout went, by variable.

    Attributes:
        loaded: built or patched from what was captured.
        recomputed: by running its cell again; why it was not loaded, unless that was quicker (and is verified).
        failed: could not be restored, and was removed; why.
        inexact: restored, but sharing objects with other variables than it did.
        outside: dotted names in modules that cells between the two states set, and that stay as they are.
    """

    node: int
    loaded: set[str] = field(default_factory=set)
    removed: set[str] = field(default_factory=set)
    recomputed: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    inexact: set[str] = field(default_factory=set)
    outside: list[str] = field(default_factory=list)


def run_plainly(code: str, namespace: dict[str, Any]) -> None:
    """Run a cell as plain Python."""
    exec(compile(code, "<cell>", "exec", dont_inherit=True), namespace)


def checkout(tracker: StateTracker, node: int, read: Reader | None = None,
             run: Run = run_plainly, progress: Progress | None = None) -> Restored:
    """Make the tracker's namespace what it was after a node; that node becomes the head.

    Only what differs is replaced; arrays, long lists and the like that still live are
    patched and stay the objects that they are. Runs code: that of pickles, and
    of cells whose result cannot be loaded.

    Args:
        read: gives stored chunks; None when all is in memory.
        run: runs a cell's code in a namespace.
        progress: gets what is being done, and the part of the bytes that is loaded.
    Raises:
        NotFound: there is no such node.
    """
    return _Checkout(tracker, node, read, run, progress).perform()


def values_at(tracker: StateTracker, node: int, names: Iterable[str], read: Reader | None = None,
              run: Run = run_plainly) -> dict[str, Any]:
    """Former values of variables, as objects of their own; the live state stays as it is.

    Runs code, as `checkout` does.

    Raises:
        NotFound: there is no such node, or it has no such variable.
        Exception: what loading, or running the cell again, raises.
    """
    reader = _Checkout(tracker, node, read, run)
    before = environment.capture()
    try:
        return reader.values(list(names))
    finally:
        for name, value in environment.capture().items():
            if name in before and before[name] != value:
                environment.restore(name, before[name])


class _Checkout:
    def __init__(self, tracker: StateTracker, node: int, read: Reader | None, run: Run,
                 progress: Progress | None = None) -> None:
        self._progress = progress or (lambda text, part: None)
        self._tracker, self._node, self._read, self._run = tracker, node, read, run
        self._namespace = tracker.namespace
        self._target = tracker.history.state(node)
        self._result = Restored(node)

    def perform(self) -> Restored:
        self._tracker.settle_doubts()
        live = self._tracker.versions
        wanted = {name: version for name, version in self._target.items()
                  if name not in environment.NAMES and live.get(name) is not version}
        gone = live.keys() - self._target.keys()
        living = Living()
        for found in self._tracker.survey_now(wanted.keys() | gone):
            living.objects.update({part.pid: (value, part) for value, part
                                   in zip(found.objects, found.live) if part.pid})
        versions = list(dict.fromkeys(wanted.values()))
        values = self._run_quick_ones(versions, living)
        rest, broken = self._load([v for v in versions if not values.keys() >= set(v.names)], living)
        values |= rest
        values |= self._recompute(broken)
        for name in gone | (wanted.keys() - values.keys()):
            self._namespace.pop(name, None)
        self._namespace.update(values)
        self._result.removed = set(gone)
        self._restore_environment(self._target)
        self._result.outside = self._set_between(self._tracker.head)
        self._result.inexact = self._tracker.adopt(self._node, {
            name: version for name, version in self._target.items()
            if name in wanted and name in values}, self._result.loaded)
        return self._result

    def _set_between(self, head: int) -> list[str]:
        history = self._tracker.history
        apart = set(history.path(head)) ^ set(history.path(self._node))
        return sorted({name for node in apart for name in history.deltas[node].read.get("sets", ())})

    def values(self, names: list[str]) -> dict[str, Any]:
        """Fresh objects for some variables of the target."""
        for name in names:
            if name not in self._target:
                raise NotFound(f"cell {self._node} has no variable {name}")
        found: dict[str, Any] = {}
        for name in names:
            if name not in found:
                found |= self._inputs([self._target[name]])
        return {name: found[name] for name in names}

    def _run_quick_ones(self, versions: list[Version], living: Living) -> dict[str, Any]:
        """Values whose cells take less time than loading them would, verified; none that could be patched."""
        costs, values = self._tracker.costs, dict[str, Any]()
        quick = [version for version in versions if not version.why_not
                 and not any(part.pid in living.objects for part in version.parts)
                 and costs.is_quicker_again(version, self._tracker.history)]
        for node in dict.fromkeys(version.node for version in quick):
            made: dict[str, Any] = {}
            try:
                made = self._run_again(node, recompute.check_inputs)
            except Exception:   # objects raise what they like
                pass
            for version in [one for one in quick if one.node == node]:
                if recompute.is_same(version, made, self._tracker.scanner, self._read):
                    values |= {name: made[name] for name in version.names}
                    self._result.recomputed |= dict.fromkeys(version.names, recompute.WHY)
                else:
                    costs.differs(version)
        return values

    def _load(self, versions: list[Version],
              living: Living) -> tuple[dict[str, Any], dict[Version, str]]:
        values: dict[str, Any] = {}
        broken: dict[Version, str] = {}
        sizes, patched = list(map(recompute.size_of, versions)), set(living.objects)
        for number, version in enumerate(versions):
            self._progress(f"restoring {', '.join(version.names[:3])}",
                           sum(sizes[:number]) / max(1, sum(sizes)))
            why_not, started_s = version.why_not, time.perf_counter()
            if not why_not:
                try:
                    with forbid_effects():
                        values |= zip(version.names, load(version, self._namespace, self._read, living))
                    self._result.loaded.update(version.names)
                    if not any(part.pid in patched for part in version.parts):
                        self._tracker.costs.loaded(sizes[number], time.perf_counter() - started_s)
                except Exception as error:   # objects raise what they like
                    why_not = f"{type(error).__name__}: {error}"
            if why_not:
                broken[version] = why_not
        return values, broken

    def _recompute(self, broken: dict[Version, str]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for node in dict.fromkeys(version.node for version in broken):
            names = {name: why for version, why in broken.items() if version.node == node
                     for name in version.names}
            try:
                made = self._run_again(node)
                values |= {name: made[name] for name in names}
                self._result.recomputed |= names
                for version in broken:
                    if version.node == node and version.stream is not None:
                        recompute.take_over_left(version, made, self._tracker.scanner, self._read)
            except BaseException as error:
                if isinstance(error, KeyboardInterrupt):
                    raise
                for name, why in names.items():
                    function = self._define(name, node)
                    if function is not None:
                        values[name], self._result.recomputed[name] = function, f"its definition alone; {why}"
                    else:
                        self._result.failed[name] = f"{why}; its cell: {_told(error)}"
        return values

    def _define(self, name: str, node: int) -> Any:
        """A function whose cell cannot be run again, from its definition; None if that would not do."""
        history = self._tracker.history
        return define(name, (history.deltas[step].code for step in history.path(node)), self._namespace)

    def _run_again(self, node: int, check: Callable[[dict[str, Any]], None] | None = None) -> dict[str, Any]:
        """The variables after running a node's cell again from its inputs, which `check` may refuse."""
        history = self._tracker.history
        if node not in history.deltas:
            raise UsageError(f"state {node} is not in the history")
        delta = history.deltas[node]
        self._progress(f"running cell {node} again", 1.0)
        before = history.state(delta.parent)
        wanted = [version for name, version in before.items()
                  if name in delta.touched and name not in environment.NAMES]
        inputs = self._inputs(list(dict.fromkeys(wanted)))
        if why := self._tracker.reads.why_changed(node, delta.read):
            raise UsageError(why)
        if check:
            check(inputs)
        self._restore_environment(before)
        self._restore_begun(delta)
        saved = dict(self._namespace)
        special = {name: value for name, value in saved.items() if name not in self._target
                   and name not in self._tracker.versions}
        # Functions that the cell makes must have the live namespace for their globals.
        try:
            self._namespace.clear()
            self._namespace.update(special | inputs)
            with _quiet():
                self._run_safely(delta)
            return dict(self._namespace)
        finally:
            self._namespace.clear()
            self._namespace.update(saved)

    def _run_safely(self, delta: Delta) -> None:
        """Run a cell that changes nothing outside of this process.

        Raises:
            UsageError: its rehearsal would have.
            Exception: as the cell, if it ended without an exception before.
        """
        def run() -> None:
            try:
                self._run(delta.code, self._namespace)
            except Exception:
                if delta.is_complete:
                    raise

        if why := rehearse(run, delta.cell_s):
            raise UsageError(why)
        with no_bytecode_files(), forbid_effects():
            run()

    def _inputs(self, versions: list[Version]) -> dict[str, Any]:
        """Fresh objects, that nothing else holds: the cell may change them."""
        values: dict[str, Any] = {}
        missing: dict[int, list[str]] = {}
        for version in versions:
            try:
                if version.why_not:
                    raise UsageError(version.why_not)
                with forbid_effects():
                    values |= zip(version.names, load(version, self._namespace, self._read, isolated=True))
            except Exception:   # objects raise what they like
                missing.setdefault(version.node, []).extend(version.names)
        for node, names in missing.items():
            made = self._run_again(node)
            values |= {name: made[name] for name in names}
        return values

    def _restore_begun(self, delta: Delta) -> None:
        """Let a cell find what it began with, as far as no state before it tells: the first of a session, and imports."""
        if told := delta.read.get("begun"):
            for name, value in pickle.loads(base64.b64decode(told)).items():
                environment.restore(name, value)

    def _restore_environment(self, state: dict[str, Version]) -> None:
        now = environment.capture()
        for name in environment.NAMES:
            version = state.get(name)
            if version is None or version.stream is None:
                continue
            try:
                value = pickle.loads(version.stream.encoded(self._read))
                if now.get(name) != value:
                    environment.restore(name, value)
            except (OSError, RexError, ImportError, RecursionError) as error:
                self._result.failed[name] = _told(error)


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null), \
            contextlib.redirect_stderr(null):
        yield
