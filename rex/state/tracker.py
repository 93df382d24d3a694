"""Follow a namespace from cell to cell: what each cell changed, and nothing missed."""

from __future__ import annotations

import base64
import pickle
import sys
import threading
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable

from rex.state import environment
from rex.state.recompute import Costs
from rex.state.kinds import is_machinery
from rex.state.names import (ALL_POWERFUL, QUIET, names_in_source, reaches_everything,
                             roots_of)
from rex.state.outside import set_outside
from rex.state.parts import LivePart, PartScanner
from rex.state.reads import Reads
from rex.state.survey import Found, Group, is_plain, survey
from rex.state.unwritten import Unwritten
from rex.state.verify import Verifier
from rex.state.versions import Chunk, Delta, History, Version
from rex.state.walk import KINDS, Scene

_NOT_PLAIN = object()
_MOST_WATCHED = 100_000
own_threads: set[int] = set()   # identities of Rex's threads, which touch no variable


@dataclass(slots=True)
class Live:
    """A co-variable as the tracker last saw it.

    Attributes:
        ids: of the variables' values.
        plain: the value of a plain variable.
    """

    names: Group
    version: Version
    ids: dict[str, int]
    fingerprint: tuple[Any, ...] | None = None
    parts: dict[int, LivePart] = field(default_factory=dict)
    codes: frozenset[str] = frozenset()
    roots: frozenset[str] = frozenset()
    plain: Any = _NOT_PLAIN


def is_special(name: str) -> bool:
    """Whether a name is the interpreter's, not the user's."""
    return name.startswith("__") and name.endswith("__")


class StateTracker:
    """Tells after each cell which co-variables it changed, with all that is needed to restore them.

    The namespace stays the plain dict that it is; cells run at full speed.

    Attributes:
        head: the node that the namespace is at.
        costs: what loading was measured to cost.
        reads: what cells read beside the namespace.
    """

    def __init__(self, namespace: dict[str, Any], history: History | None = None,
                 ignore: Callable[[str], bool] = is_special, use_pages: bool = True,
                 check_loads: bool = True) -> None:
        """Begin at the namespace's present state: the first cell's delta holds all of it.

        Args:
            history: states of former sessions, which can be checked out too.
            ignore: tells names that are no part of the state.
            use_pages: ask the kernel for written pages where it can tell.
            check_loads: try in a forked twin that what is captured loads as it was.
        """
        self.namespace = namespace
        self.history = history or History()
        self.head = 0
        self._ignore = ignore
        self.scanner = PartScanner(Unwritten(_MOST_WATCHED) if use_pages else None, max((
            part.pid for delta in self.history.deltas.values() for version in delta.versions
            for part in version.parts), default=0))
        self.costs = Costs()
        self._lives: dict[str, Live] = {}
        self._environment: dict[str, Any] = {}
        self._begun: dict[str, Any] = {}     # what of it the running cell began with, unless a state tells
        self._has_restored = True            # since the last cell
        self._threads = sys._current_frames().keys() | own_threads
        self._had_threads = False
        self._verifier = Verifier() if check_loads else None
        self._code, self._names, self._roots = "", frozenset[str](), set[str]()
        self._is_wide, self._started_s = False, 0.0
        self.reads = Reads(own_threads)

    def before_cell(self, code: str, is_wide: bool = False, named: str | None = None) -> None:
        """Note a cell that is about to run.

        Args:
            is_wide: it could touch any variable, whatever it says.
            named: source that names all that it could touch, where the code itself is
                not plain Python.
        """
        names = names_in_source(code if named is None else named)
        self._code, self._is_wide = code, is_wide or names is None
        self._names = names or frozenset()
        self._roots = roots_of(self._names, self.namespace)
        self._is_wide = self._is_wide or reaches_everything(self._names, self.namespace)
        self.reads.begin(code)
        now = environment.capture() if self._has_restored else {}
        self._begun = {name: now[name] for name in now.keys() - self._environment.keys()}
        self._has_restored = False
        self._started_s = time.perf_counter()

    def after_cell(self, is_complete: bool = True, number: int = 0) -> Delta:
        """Find what the cell changed, a cell that raised too, and make it the head's child.

        Args:
            number: of the new node, unless one so high is there already.
        """
        ended_s = time.perf_counter()
        self.reads.stop()
        node = max(number, self.history.next_node)
        present = {name for name in self.namespace if not self._ignore(name)}
        touched = self._first_touched(present)
        if self._verifier:
            self._verifier.collect()
        changed, named = self._look(present, touched, node)
        removed = frozenset(self._lives.keys() - present)
        for name in removed:
            del self._lives[name]
        changed |= self._environment_changes(node)
        read = self.reads.end(node, self._code, [self.namespace.get(name) for name in self._names],
                              self._roots.union(*[self._lives[name].roots for name in self._names & self._lives.keys()]))
        if places := set_outside(self._code, self.namespace):
            read["sets"] = places
        if self._begun:
            read["begun"] = base64.b64encode(pickle.dumps(self._begun, 5)).decode()
        delta = Delta(node, self.head, changed, removed, frozenset(named), self._code,
                      ended_s - self._started_s, time.perf_counter() - ended_s, is_complete, read=read)
        self.history.add(delta)
        self.head = node
        return delta

    def _first_touched(self, present: set[str]) -> set[str]:
        """Names that the cell names or rebound, and those of co-variables it took a name from."""
        if self._is_wide or self._has_new_threads() or reaches_everything(
                self._names, self.namespace):
            return set(present)
        self._roots |= roots_of(self._names, self.namespace)
        touched = set(self._names & present)
        for name in present:
            live = self._lives.get(name)
            if live is None or live.ids[name] != id(self.namespace[name]):
                touched.add(name)
        for name in (self._lives.keys() - present) | (self._names & self._lives.keys()):
            touched |= present.intersection(self._lives[name].names)
        roots = self._roots - QUIET
        if _has_open_figures() and self._roots - sys.stdlib_module_names - {"numpy"}:
            roots.add("matplotlib")
        if roots:
            touched |= {name for name, live in self._lives.items()
                        if name in present and live.roots & roots}
        return touched

    def _has_new_threads(self) -> bool:
        """Whether threads of the user's run, or did when the cell before ended: they write what they like."""
        had, self._had_threads = self._had_threads, self._runs_threads()
        return had or self._had_threads

    def _runs_threads(self) -> bool:
        running = sys._current_frames().keys()
        self._threads = self._threads & running | own_threads
        if running <= self._threads:
            return False
        self._threads |= {thread.ident for thread in threading.enumerate()
                          if thread.ident and _is_machinery(thread)}
        return not running <= self._threads

    def _look(self, present: set[str], touched: set[str],
              node: int) -> tuple[dict[str, Version], set[str]]:
        """The new versions, and every name that was looked at."""
        named, queued = set(touched), set[str]()
        scene = Scene(self.namespace, self.scanner, {})

        def groups(names: Iterable[str]) -> list[Group]:
            found = []
            for name in names:
                if name not in queued:
                    found += self._groups_of(name, present, queued, scene)
            return found

        def more(codes: frozenset[str]) -> list[Group]:
            wide = bool(codes & ALL_POWERFUL) or reaches_everything(codes, self.namespace)
            added = present if wide else codes & present
            named.update(added)
            return groups(added)

        first = frozenset().union(*[self._lives[n].codes for n in self._names & self._lives.keys()])
        started_s = time.perf_counter()
        try:
            found = survey(scene, groups(touched) + more(first), more)
        except BaseException:
            # Written pages were asked for and forgotten: from now on, hash.
            for part in scene.known.values():
                self.scanner.forget(part)
            raise
        seconds = time.perf_counter() - started_s
        changed = {}
        for one in found:
            changed |= self._settle(one, node, seconds)
        self._release(scene)
        return changed, named | queued

    def _groups_of(self, name: str, present: set[str], queued: set[str],
                   scene: Scene) -> list[Group]:
        live = self._lives.get(name)
        value = self.namespace[name]
        if live is not None and _is_same_plain(live.plain, value):
            queued.add(name)
            live.ids[name] = id(value)
            return []
        names = [n for n in (live.names if live else (name,)) if n in present]
        queued.update(names)
        if live is not None:
            scene.known.update(live.parts)
        # A merged co-variable whose variables were rebound is likely to have split.
        same = [n for n in names if live and live.ids.get(n) == id(self.namespace[n])]
        singles = [(n,) for n in names if n not in same]
        return singles + ([tuple(sorted(same))] if same else [])

    def _settle(self, found: Found, node: int, seconds: float) -> dict[str, Version]:
        """Compare with what was known; the new version under each name if there is one."""
        old = self._lives.get(found.names[0])
        is_same = (old is not None and found.fingerprint is not None
                   and old.fingerprint == found.fingerprint
                   and not old.version.why_not   # its pickle does not tell all of it
                   and all(self._lives.get(name) is old for name in found.names))
        version = old.version if is_same and old else found.as_version(node, seconds)
        plain = _NOT_PLAIN
        if len(found.names) == 1 and is_plain(self.namespace[found.names[0]]):
            plain = self.namespace[found.names[0]]
        live = Live(found.names, version, {n: id(self.namespace[n]) for n in found.names},
                    found.fingerprint, found.parts, found.codes, found.roots, plain)
        for name in found.names:
            self._lives[name] = live
        if is_same:
            return {}
        if self._verifier and not found.failure:
            self._verifier.check(version, found.kinds, self.namespace)
        return {name: version for name in found.names}

    def _release(self, scene: Scene) -> None:
        """Let go of objects, and stop to watch what no co-variable holds any more."""
        scene.release()
        KINDS.purge()
        if any(part.is_watched for part in scene.known.values()):
            used = {part.key for live in self._lives.values() for part in live.parts.values()}
            for part in scene.known.values():
                if part.key not in used:
                    self.scanner.forget(part)

    def _environment_changes(self, node: int) -> dict[str, Version]:
        changed = {}
        now = environment.capture()
        self._begun |= environment.begun({*self._environment, *self._begun}, now)
        for name, value in now.items():
            if self._environment.get(name) != value:
                changed[name] = Version((name,), Chunk(pickle.dumps(value, 5)), node=node)
        self._environment = now
        return changed

    def survey_now(self, names: Iterable[str]) -> list[Found]:
        """Look at variables outside of any cell, with the objects of their parts."""
        scene = Scene(self.namespace, self.scanner, {})
        groups, queued = [], set[str]()
        present = {name for name in self.namespace if not self._ignore(name)}
        for name in names:
            live = self._lives.get(name)
            if live is None or name in queued or name not in present:
                continue
            scene.known.update(live.parts)
            groups.append(tuple(sorted(present.intersection(live.names))))
            queued.update(live.names)
        found = survey(scene, groups, lambda codes: ())
        scene.release()
        return found

    def adopt(self, node: int, versions: dict[str, Version], exact: Iterable[str] = ()) -> set[str]:
        """Take over a state that was just restored: these names now hold these versions.

        Args:
            exact: names whose objects have the very bytes of the version.
        Returns:
            The names that share objects with others than they did.
        """
        odd: set[str] = set()
        present = {name for name in self.namespace if not self._ignore(name)}
        for name in self._lives.keys() - present:
            del self._lives[name]
        known = {name: version for name, version in versions.items() if name in present}
        scene = Scene(self.namespace, self.scanner, {})
        for name in known:
            if name in self._lives:
                scene.known.update(self._lives[name].parts)
        groups = {version.names for version in known.values() if present.issuperset(version.names)}
        bytes_known = set(exact)
        for found in survey(scene, groups, lambda codes: ()):
            version = known[found.names[0]]
            is_as_it_was = version.names == found.names
            if is_as_it_was and bytes_known.issuperset(found.names):
                found.take_chunks(version, self.scanner)
            self._settle(found, node, 0.0)
            if is_as_it_was:
                _agree_on_pids(version, found)
                self._lives[found.names[0]].version = version
            else:
                odd.update(found.names)
        self._release(scene)
        told, now = self.history.state(node), environment.capture()
        self._environment = {name: now[name] for name in now.keys() & told.keys()}
        self._has_restored = True
        self.head = node
        return odd

    def settle_doubts(self) -> None:
        """Wait for what the twins find about versions."""
        if self._verifier:
            self._verifier.collect(wait=True)

    @property
    def versions(self) -> dict[str, Version]:
        """The version that each variable holds."""
        return {name: live.version for name, live in self._lives.items()}

    def close(self) -> None:
        """Stop to watch memory."""
        self.scanner.close()
        if self._verifier:
            self._verifier.close()


def _is_same_plain(old: Any, new: Any) -> bool:
    if old is new:
        return old is not _NOT_PLAIN
    kind = type(new)
    return kind is type(old) and kind in (int, str, bytes) and old == new


def _agree_on_pids(version: Version, found: Found) -> None:
    """Let the live objects go by the numbers of the parts that they were built from."""
    if len(version.parts) == len(found.live) and not version.why_not:
        for part, live in zip(version.parts, found.live):
            if part.pid:
                live.pid = part.pid
            else:   # from another process
                part.pid = live.pid


def _is_machinery(thread: threading.Thread) -> bool:
    """Whether a thread belongs to the kernel, which may start it again at any time."""
    target = getattr(thread, "_target", None)
    return is_machinery(type(thread)) or is_machinery(type(getattr(target, "__self__", None)))


def _has_open_figures() -> bool:
    helpers = sys.modules.get("matplotlib._pylab_helpers")
    return bool(helpers and helpers.Gcf.figs)
