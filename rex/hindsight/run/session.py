"""What instrumented code talks to: the stack of running loops, and positions in the run."""

from __future__ import annotations

import ast
import itertools
import operator
import os
import sys
import threading
import types
from typing import Any, Iterator

from rex.hindsight.capture.interpreter import Interpreter
from rex.hindsight.capture.library_patches import Lent, find_lent
from rex.hindsight.instrument.plain_code import PlainCode
from rex.hindsight.instrument.rewrite import PROBE, ModulePlan, SiteFacts
from rex.hindsight.instrument.usercode import UserCode
from rex.hindsight.run.files import Files
from rex.hindsight.run.roots import Roots
from rex.hindsight.trace.clock import now_s

_END = object()
SWITCHED_OFF = (type(None), ())     # what instrumentation is pickled and copied as
_COUNTED = type(iter(range(0))), type(iter(range(1 << 64))), type(iter([])), type(iter(()))   # know what is left
SHORT_RUNS, SHORT_SHARE = 3, 1 / 50   # loops that take less than this share of the granularity,
#                                       so often, are switched off


class Site:
    """One loop of the source: what the variable in its module holds."""

    __slots__ = ("facts", "key", "session", "space", "runs", "is_long")

    def __init__(self, facts: SiteFacts, session: "Session", space: dict[str, Any]) -> None:
        self.facts, self.key, self.session, self.space = facts, facts.key, session, space
        self.runs, self.is_long = 0, False

    def enter(self) -> bool:
        """The loop is about to begin; False: it was skipped, its effects are there."""
        return self.session.enter(self, sys._getframe(1))

    def loop(self, iterable: Any) -> Any:
        """What the loop iterates over instead."""
        return self.session.loop(self, iterable, sys._getframe(1))

    def ran_out(self) -> None:
        """The loop is about to end by itself: no iteration is left."""
        self.session.ran_out(self, sys._getframe(1))

    def done(self) -> None:
        """The loop ended by itself or by break."""
        self.session.done(self, sys._getframe(1))

    def switch(self, tick: Any) -> None:
        """Set what a while loop calls before each test."""
        if self.facts.is_while:
            self.space[self.facts.name + "w"] = tick

    def off(self) -> None:
        """Never ask again."""
        self.space[self.facts.name] = None
        self.switch(None)

    def __reduce__(self) -> Any:
        return SWITCHED_OFF     # of a script that pickles or copies its globals


class Entry:
    """A running loop.

    Attributes:
        position: of the loop, without its iteration: the path of what is around it.
        is_tracked: its iterations have borders.
        is_whole: it ended by itself: the iteration that it is at never began.
        iterator: what it draws its items from.
    """

    __slots__ = ("site", "frame", "position", "iteration", "started_s", "turned_s", "turned_worked_s", "is_tracked", "is_whole",
                 "counts", "iterator", "bodies", "_passing")

    def __init__(self, site: Site, frame: types.FrameType, position: str) -> None:
        self.site, self.frame, self.position = site, frame, position
        self.iteration, self.is_tracked, self.is_whole = -1, True, False
        self.started_s = self.turned_s = now_s()
        self.turned_worked_s = 0.0
        self.counts: dict[str, int] = {}
        self.iterator: Any = None
        self.bodies: list[float] = []
        self._passing: Any = None

    def many(self, count: int) -> Iterator[Any]:
        """The next items, which pass without a border."""
        self._passing = itertools.count(1)
        return itertools.compress(itertools.islice(self.iterator, count), self._passing)

    def settle(self) -> None:
        """Add the items that passed to the iterations."""
        if self._passing is not None:
            self.iteration += next(self._passing) - 1
            self._passing = None

    @property
    def now(self) -> int:
        """The iteration that runs, among those that pass too."""
        passed = 0 if self._passing is None else int(repr(self._passing)[len("count("):-1]) - 1
        return self.iteration + passed

    @property
    def begun(self) -> int:
        """How many iterations began."""
        return self.now + (not self.is_whole)

    @property
    def ahead_s(self) -> float:
        """What the iterations to come will take; 0 where only the script's own code knows how many there are."""
        if type(self.iterator) not in _COUNTED:
            return 0.0
        return operator.length_hint(self.iterator) * (now_s() - self.started_s) / (self.iteration + 1)

    @property
    def place(self) -> str:
        """The position of the iteration's start."""
        return f"{self.position}:{self.iteration}"


class Session:
    """Base of recording and replaying."""

    def __init__(self) -> None:
        self.stack: list[Entry] = []
        self.modules: dict[str, Any] = {}
        self.trees: dict[str, ast.AST] = {}     # of their source, as it is rewritten
        self.code = UserCode()
        self.plain = PlainCode(self.code, self.became_plain)
        self.lent = Lent(self.code)
        self.interpreter = Interpreter()
        self.sites: dict[str, Site] = {}
        self.granularity_s = 0.0
        self.kept: set[str] = set()
        self.withheld: frozenset[str] = frozenset()     # variables of the environment
        self.files: Files | None = None
        self._counts: dict[str, int] = {}
        self._thread = threading.get_ident()
        self._pid = os.getpid()
        os.register_at_fork(after_in_child=self._forked)

    @property
    def iteration(self) -> int:
        """Of the outermost loop; -1 outside."""
        return self.stack[0].now if self.stack else -1

    def value(self, name: str, value: Any) -> None:
        """A value was logged by hand."""
        raise NotImplementedError

    def save(self, name: str, value: Any) -> None:
        """An object is to be kept."""

    def regret(self, why: str) -> None:
        """A checkpoint was taken on that must not have been; may not return."""

    def _forked(self) -> None:
        self._thread = -1   # children run their loops as they are

    def add_module(self, plan: ModulePlan, module: types.ModuleType, code: types.CodeType,
                   plain: types.CodeType, recorded: types.CodeType | None = None) -> None:
        """Put a module's sites, markers and fence in place before it runs.

        Args:
            plain: its code without instrumentation.
            recorded: its code as it was recorded, if that is another.
        """
        space = vars(module)
        if not self.modules:
            self.lent.begin()
            self.interpreter.begin()
        self.modules[module.__name__], self.trees[module.__name__] = module, plan.tree
        self.code.add(module.__name__, code, recorded, plan.probes, plain)
        self.lent.add(find_lent(plan.tree, plan.probes))
        space[PROBE] = self.fence()
        self._add_sites(plan, space)
        for name in plan.functions.values():
            space[name] = None
            self.add_function(f"{module.__name__}:{name}", space, name)
        self.kept |= plan.kept

    def add_trainer(self, plan: ModulePlan, module: types.ModuleType, code: types.CodeType, plain: types.CodeType) -> None:
        """Put the sites of a library's training loops in place before its module runs; nothing else of it is state."""
        self.trees[module.__name__] = plan.tree
        self.code.pair(code, plain)
        self._add_sites(plan, vars(module))

    def _add_sites(self, plan: ModulePlan, space: dict[str, Any]) -> None:
        for facts in plan.loops.values():
            site = self.sites[facts.key] = Site(facts, self, space)
            space[facts.name] = site
            if facts.is_while:
                space[facts.name + "w"] = None

    def add_function(self, function: str, space: dict[str, Any], marker: str) -> None:
        """Learn of a function whose marker is that variable."""

    def takes_trainer(self, name: str, path: str, source: bytes) -> bool:
        """Whether the training loops of a library's module are instrumented."""
        return False

    def note_unseen(self, path: str, why: str) -> None:
        """The training loops of a library's module are run as they are."""

    def became_plain(self, module: str, code: types.CodeType) -> None:
        """A function with this instrumented code is plain from now on: somebody reads its code."""

    def fence(self) -> Any:
        """The context manager around probes."""
        raise NotImplementedError

    def _settle(self, site: Site, frame: types.FrameType) -> None:
        """Drop entries of loops that were left without saying so."""
        stack = self.stack
        while stack:
            top = stack[-1]
            if top.frame is frame:
                if top.site is site or top.site.facts.name in site.facts.inside:
                    return
            elif _is_around(top.frame, frame):
                return
            stack.pop()

    def enter(self, site: Site, frame: types.FrameType) -> bool:
        """See `Site.enter`."""
        if threading.get_ident() != self._thread:
            site.switch(None)
            return True
        self._settle(site, frame)
        stack = self.stack
        if stack and stack[-1].site is site and stack[-1].frame is frame:
            stack.pop()   # left by an exception before, and begun again
        parent = stack[-1] if stack else None
        if parent is not None and not parent.is_tracked:
            site.switch(None)
            return True
        counts = parent.counts if parent else self._counts
        ordinal = counts[site.key] = counts.get(site.key, -1) + 1
        around = f"{parent.place}/" if parent else ""
        entry = Entry(site, frame, f"{around}{site.key}.{ordinal}")
        if not self.begin(entry):
            return False
        stack.append(entry)
        if site.facts.is_while:
            site.switch(lambda: self._tick(entry))
        self.entered()
        return True

    def _own(self, site: Site, frame: types.FrameType) -> Entry | None:
        if threading.get_ident() != self._thread:
            return None
        for entry in reversed(self.stack):
            if entry.site is site and entry.frame is frame:
                return entry
        return None

    def loop(self, site: Site, iterable: Any, frame: types.FrameType) -> Any:
        """See `Site.loop`."""
        entry = self._own(site, frame)
        if entry is None:
            return iterable
        entry.iterator = iter(iterable)
        return itertools.chain.from_iterable(self._segments(entry))

    def _segments(self, entry: Entry) -> Iterator[Any]:
        """The items in pieces: one at a time while bodies are long or unknown, else many."""
        many = 1
        while True:
            self._turn(entry)
            item = next(entry.iterator, _END)
            if item is _END:
                return
            many = self.group(entry)
            if many == 1:
                yield (item,)
            elif many == 0:
                yield (item,)
                yield entry.iterator
                return
            else:
                yield itertools.chain((item,), entry.many(many - 1))
                entry.settle()
                # Fewer items than asked for: the next look finds the iterator at its end.

    def _tick(self, entry: Entry) -> bool:
        self._turn(entry)
        if self.group(entry) == 0:
            entry.site.switch(None)
        return True

    def _turn(self, entry: Entry) -> None:
        """An iteration begins: what ran inside the one before is over."""
        stack = self.stack
        while stack and stack[-1] is not entry:
            stack.pop()
        if not stack:   # its function was left, and somebody kept the iterator
            stack.append(entry)
        entry.iteration += 1
        entry.counts.clear()
        self.turn(entry)
        self.entered()

    def ran_out(self, site: Site, frame: types.FrameType) -> None:
        """See `Site.ran_out`."""
        entry = self._own(site, frame)
        if entry is not None:
            entry.is_whole = True

    def done(self, site: Site, frame: types.FrameType) -> None:
        """See `Site.done`."""
        entry = self._own(site, frame)
        if entry is None:
            return
        while self.stack.pop() is not entry:
            pass
        entry.settle()
        took = now_s() - entry.started_s
        site.runs += 1
        site.is_long = site.is_long or took >= self.granularity_s * SHORT_SHARE
        self.end(entry, took)
        self.entered()
        if site.runs >= SHORT_RUNS and not site.is_long and not site.facts.is_by_hand:
            site.off()

    def roots(self, entry: Entry) -> Roots:
        """Where the live state begins, at a border of this loop."""
        outermost = self.stack[0].frame if self.stack else entry.frame
        return Roots(entry.frame, self.modules, outermost, self.stack, self.kept, self.withheld,
                     self.files, self.code, self.lent, self.interpreter)

    def begin(self, entry: Entry) -> bool:
        """A loop is about to begin; False skips it."""
        return True

    def entered(self) -> None:
        """The innermost loop is another now."""

    def group(self, entry: Entry) -> int:
        """How many items may pass before the next border; 0: all."""
        return 1

    def turn(self, entry: Entry) -> None:
        """An iteration begins."""

    def end(self, entry: Entry, took_s: float) -> None:
        """A loop ended."""


def _is_around(one: types.FrameType, inner: types.FrameType) -> bool:
    each: types.FrameType | None = inner
    while each is not None:
        if each is one:
            return True
        each = each.f_back
    return False
