"""Come to a border of a recorded run without what lies before it, and take on the state there."""

from __future__ import annotations

import pickle
import types
from typing import Any, Callable, Mapping

from rex.archive import Archive
from rex.errors import OwnFailure
from rex.hindsight.capture.chunks import ChunkReader
from rex.state.device import settle
from rex.hindsight.capture.graph import RootState, Snapshot, decode_snapshot
from rex.hindsight.capture.kinds import Shapes
from rex.hindsight.capture.restore import Halfway, restore
from rex.hindsight.capture.shapes import Cannot
from rex.hindsight.capture.tables import StoredMemory, decode_table
from rex.state.unwritten import Unwritten
from rex.hindsight.run import c_files
from rex.hindsight.run.pending import is_waiting, is_within_context
from rex.hindsight.run.read_ahead import Ahead, Stored
from rex.hindsight.run.session import Entry, Session
from rex.hindsight.run.standing import Standing
from rex.hindsight.trace.clock import Clock, Entropy, now_s
from rex.hindsight.trace.records import Border, Checkpoint, Run
from rex.hindsight.trainers import WATCHED, watcher
from rex.state.declared import declare
from rex.state.store import read_content


class Seeker(Session):
    """A session that can begin in the middle.

    Attributes:
        target: position of the border to resume from; "" once the state is the recorded one.
        is_astray: control was led on without the state that belongs to it.
    """

    run: Run
    clock: Clock
    entropy: Entropy

    def __init__(self, archive: Archive, target: str = "", classes: Mapping[str, str] | None = None) -> None:
        super().__init__()
        declare(classes or {})
        self.archive = archive
        self.shapes = Shapes(self.code)
        self.target, self.is_astray = target, False
        self._left_at: types.FrameType | None = None     # the frame from which on it is astray
        self._left_line = 0              # where its loop stands
        self.restored = 0
        self.ahead: Ahead | None = None
        self._chunks, self._unwritten = ChunkReader(archive.store), Unwritten()
        self._roots: dict[bytes, RootState] = {}     # of the last snapshot
        self.standing = Standing(self.shapes.by_tag)
        self.restore_s = self.restore_pause_s = 0.0

    def libraries(self) -> dict[str, Callable[[Any], None]]:
        """What is done to libraries once they are imported."""
        return {name: self._meet(name) for name in {*WATCHED, *c_files.MODULES}}

    def unready(self, why: str) -> None:
        """The script goes on with what was put back for reading only; does not return."""
        raise NotImplementedError

    def _meet(self, name: str) -> Callable[[Any], None]:
        def meet(module: Any) -> None:
            if name == "torch":
                self.entropy.seed_torch(module)
            if name in WATCHED:
                watcher(name, self.unready)(module)
            if name in c_files.MODULES and self.files is not None:
                c_files.watch(name, module, self.files)

        return meet

    def seek_begin(self, entry: Entry) -> bool | None:
        """What `begin` answers while seeking; None: the state here is the real one."""
        end = f"{entry.position}!"
        if self.target == end:
            self._take_on(entry)
            return False
        if self.target.startswith(f"{entry.position}:"):
            return True
        return False if self.is_astray else None

    def seek_turn(self, entry: Entry) -> None:
        """Go to the iteration that leads to the target."""
        prefix = f"{entry.position}:"
        if not self.target.startswith(prefix) or entry.iteration > 0:
            return
        rest = self.target[len(prefix):]
        wanted = int(rest.partition("/")[0])
        entry.iteration = wanted
        if "/" in rest:
            if wanted > 0 and not self.is_astray:
                self.is_astray, self._left_at, self._left_line = True, entry.frame, entry.frame.f_lineno or 0
            _advance(entry, wanted)
            return
        self._take_on(entry, wanted)

    def _take_on(self, entry: Entry, iteration: int = 0) -> None:
        try:
            self._refuse_held(entry.frame)
            try:
                self.restore(self.target, entry)
            except Cannot:   # its iterator cannot be set, but perhaps driven there
                if not iteration:
                    raise
                _advance(entry, iteration)
                self.restore(self.target, entry)
        except Cannot as why:
            self.stuck(str(why))
        self.arrive()

    def _refuse_held(self, frame: types.FrameType) -> None:
        """Refuse to take on a state while what is around holds something of another: a calling expression, a context manager.

        Raises:
            Cannot: it does.
        """
        callee, each = "", frame if self.is_astray else None
        while each is not None:
            name = each.f_globals.get("__name__", "")
            if not name.startswith("rex.hindsight."):
                tree = self.trees.get(name)
                if tree is None or callee and is_waiting(each, tree):
                    raise Cannot(f"the expression that calls {callee} holds values of before")
                if is_within_context(each, tree, self._left_line if each is self._left_at else 0):
                    raise Cannot(f"{each.f_code.co_name} is within a context manager that is of before")
                callee = each.f_code.co_name
            each = each.f_back if each is not self._left_at else None

    def stuck(self, why: str) -> None:
        """The state of the target cannot be made the live one; does not return."""
        raise NotImplementedError

    def arrive(self) -> None:
        """The state is the recorded one."""
        self.target, self.is_astray = "", False

    def checkpoint_at(self, position: str) -> tuple[Border, Checkpoint]:
        """The border there and its checkpoint.

        Raises:
            Cannot: there is none, or it is not complete.
        """
        place = self.run.border(position)
        border = self.run.borders[place] if place is not None else None
        if border is None or border.checkpoint is None:
            raise Cannot("there is no checkpoint")
        if border.checkpoint.why_not:
            name, why = next(iter(border.checkpoint.why_not.items()))
            raise Cannot(f"{name}: {why}")
        return border, border.checkpoint

    def read_stored(self, position: str, checkpoint: Checkpoint) -> Stored:
        """What is stored of the checkpoint at a border."""
        place = self.run.border(position)
        found = self.ahead.take(place) if self.ahead is not None and place is not None else None
        return found or Stored(read_content(self.archive, checkpoint.structure))

    def decode(self, stored: Stored) -> Snapshot:
        """The stored state, without its memory.

        Raises:
            Cannot: it is damaged.
        """
        try:
            snapshot = stored.snapshot or decode_snapshot(stored.structure, self._roots)
        except (ValueError, pickle.UnpicklingError) as error:
            raise Cannot(f"the checkpoint is damaged: {error}") from error
        self._roots = {root.digest: root for root in snapshot.roots}
        return snapshot

    def _memory(self, stored: Stored, checkpoint: Checkpoint) -> StoredMemory:
        table = decode_table(stored.table or read_content(self.archive, checkpoint.table))
        return StoredMemory(table, self._chunks, stored.chunks, self._unwritten)

    def restore(self, position: str, entry: Entry) -> None:
        """Make the live state the recorded one.

        Raises:
            Cannot: nothing was changed.
        """
        begun = now_s()
        border, checkpoint = self.checkpoint_at(position)
        stored = self.read_stored(position, checkpoint)
        saved, memory = self.decode(stored), self._memory(stored, checkpoint)
        self.interpreter.check(saved)
        roots = self.roots(entry)
        live = dict(roots.pairs())
        known = self.standing.objects(saved, live)
        settle()     # what still runs may write what is about to be restored
        try:
            values, build = restore(saved, self.shapes, live.items(), memory, known)
            roots.bind(values)
            build.finish()
        except Halfway as why:
            self.regret(str(why))
            raise OwnFailure(f"the state at {position} was taken on in part", str(why), "record it again") from why
        settle()     # whichever stream is next
        self.standing.note(saved, values, build)
        self.clock.count, self.entropy.count = border.clock, border.entropy
        self.restored += 1
        self.restore_pause_s += checkpoint.pause_s
        self.restore_s += now_s() - begun
        self.did_restore(saved, position, entry, checkpoint)

    def did_restore(self, saved: Snapshot, position: str, entry: Entry,
                    checkpoint: Checkpoint) -> None:
        """The live state was made the recorded one."""


def _advance(entry: Entry, count: int) -> None:
    if entry.iterator is not None:
        for _ in range(count):
            next(entry.iterator, None)
