"""What stands around added statements in a replay: they look, and leave the run as it was."""

from __future__ import annotations

import os
import sys
import threading
import types
from typing import Any

from rex.hindsight.capture.interpreter import finalizer_numbers, give_back_names
from rex.hindsight.replay.draws import Draws, Held, held_names, is_generator
from rex.hindsight.run.session import SWITCHED_OFF


class Fence:
    """Surrounds statements that were added: their output is apart, their draws are undone.

    It may be crossed at each step of an inner loop. The outermost one does what is to be done.
    """

    __slots__ = ("_replayer", "_clock", "_note_draws", "_undo_draws", "_names", "_held", "_last", "_noted", "_undoes", "_threads", "_redirected",
                 "_variables")

    def __init__(self, replayer: Any, undoes_draws: bool) -> None:
        self._undoes = undoes_draws
        draws = Draws()
        self._replayer, self._clock = replayer, replayer.clock
        self._note_draws, self._undo_draws = draws.note, draws.undo
        self._names = sorted(replayer.mentioned)
        self._held: dict[types.CodeType, list[tuple[str, str]]] = {}   # variables with generators, by function
        self._last: tuple[Any, list[tuple[str, str]]] = None, []     # as code objects are slow to hash
        self._noted: list[Held] = []
        self._threads: set[int] = set()     # that ran when the statement began
        self._redirected: tuple[Any, Any] | None = None     # the script's streams, if it writes them elsewhere
        self._variables = 0                 # so many had the environment when the statement began

    def __reduce__(self) -> Any:
        return SWITCHED_OFF

    def __enter__(self) -> None:
        replayer = self._replayer
        if replayer.in_probe:
            replayer.in_probe += 1
            return
        replayer.in_probe = 1
        replayer.has_probed = self._clock.is_off = replayer.entropy.is_off = finalizer_numbers.is_apart = True
        if not replayer.has_begun:
            replayer.begin_files()
        if (sys.stdout, sys.stderr) != replayer.streams:     # what is added is shown, and not written where the script writes
            self._redirected = sys.stdout, sys.stderr
            sys.stdout, sys.stderr = replayer.streams
        self._threads = set(threading._active)   # type: ignore[attr-defined]
        self._variables = len(os.environ._data)   # type: ignore[attr-defined]
        if self._undoes:
            self._note_draws()
            frame = sys._getframe(1)
            code, held = self._last
            if frame.f_code is not code:
                held = self._held_in(frame)
            if held:
                self._note(frame, held)

    def _held_in(self, frame: types.FrameType) -> list[tuple[str, str]]:
        held = self._held.get(frame.f_code)
        if held is None:
            held = self._held[frame.f_code] = held_names(self._names, (frame.f_locals, frame.f_globals))
        self._last = frame.f_code, held
        return held

    def _note(self, frame: types.FrameType, names: list[tuple[str, str]]) -> None:
        spaces = frame.f_locals, frame.f_globals
        for name, attribute in names:
            value = next((space[name] for space in spaces if name in space), None)
            value = getattr(value, attribute, None) if attribute else value
            if is_generator(value):
                self._noted.append(Held(f"{name}.{attribute}" if attribute else name, value))
                self._noted[-1].note()

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        replayer = self._replayer
        if replayer.in_probe != 1:
            replayer.in_probe -= 1
            return
        replayer.in_probe = 0
        self._clock.is_off = replayer.entropy.is_off = finalizer_numbers.is_apart = False
        if self._redirected is not None:
            self._give_back_streams(*replayer.streams)
        if replayer.printed:
            replayer.tell_printed()
        if self._threads != threading._active.keys():   # type: ignore[attr-defined]
            give_back_names(self._threads)
        if len(os.environ._data) > self._variables:   # type: ignore[attr-defined]
            self._withhold_variables()
        if not self._undoes:
            return
        drawn = self._undo_draws()
        if self._noted:
            drawn += [each.name for each in self._noted if each.undo()]
            self._noted.clear()
        if drawn:
            replayer.tell("note", text=f"added statements draw from {', '.join(drawn)}: undone",
                          key="drawn")

    def _withhold_variables(self) -> None:
        """The script's environment has none of the variables that the statement added. Libraries find theirs again."""
        added = list(os.environ._data)[self._variables:]   # type: ignore[attr-defined]
        self._replayer.withheld |= frozenset(map(os.fsdecode, added))

    def _give_back_streams(self, out: Any, err: Any) -> None:
        """Redirect the script's streams again, unless the statement did so itself."""
        assert self._redirected is not None
        if sys.stdout is out:
            sys.stdout = self._redirected[0]
        if sys.stderr is err:
            sys.stderr = self._redirected[1]
        self._redirected = None
