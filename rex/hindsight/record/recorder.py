"""The recording side: borders, checkpoints, output, values, as lines of the run's log."""

from __future__ import annotations

import os
import sys
import types
from typing import Any, Iterable

from rex.archive import Archive, Recording
from rex.errors import NotFound, OwnFailure
from rex.state.device import is_capturing
from rex.hindsight.capture.graph import Snapshot, walk_roots
from rex.hindsight.capture.memory import Sizer, Taken
from rex.hindsight.instrument.prepare import digest_of, version_of
from rex.hindsight.instrument.usercode import markers_of
from rex.hindsight.policy.borders import Occasion, Policy, Price
from rex.hindsight.policy.contention import Contention
from rex.hindsight.policy.remade import Remade
from rex.hindsight.record.endings import store_before_end
from rex.hindsight.record.first import HASH_S, FirstCheckpoint
from rex.hindsight.record.writer import CheckpointWriter
from rex.hindsight.run.concurrency import company
from rex.hindsight.run.files import Files
from rex.hindsight.run.seek import Seeker
from rex.hindsight.run.session import SWITCHED_OFF, Entry
from rex.hindsight.run.standing import Standing
from rex.hindsight.trace import output
from rex.hindsight.trace.clock import Clock, Entropy, now_s, thread_s
from rex.hindsight.trace.records import FORMAT, Checkpoint, LogWriter, Run
from rex.hindsight.trace.values import plain_value
from rex.types import format_duration

GRANULARITY_S = 0.050   # loops with shorter bodies have no borders inside
_TRIAL_BODIES = 4
_OUTERMOST = 1 / 5      # of the granularity: the outermost loop's iterations have borders if they take so long
_HOOK_S = 2e-6          # a reading of the clock, or a draw of random bytes, beside what it took before
_WARM = 1 / 2           # of what a look at the state takes for the first time: what later ones take
_LOOK_S, _LOOK_SHARE = 0.05, 0.03     # what a look at an outermost loop's beginning may take, at most, and of the time so far
_MANY = 1 << 20


class _Fence:
    def __reduce__(self) -> Any:
        return SWITCHED_OFF

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: Any) -> None:
        return None


class Marker:
    """Notes that its function ran within the loops of the moment."""

    __slots__ = ("function", "space", "name", "recorder")

    def __init__(self, function: str, space: dict[str, Any], name: str, recorder: "Recorder") -> None:
        self.function, self.space, self.name, self.recorder = function, space, name, recorder

    def __call__(self) -> None:
        self.space[self.name] = None
        self.recorder.called(self)

    def __reduce__(self) -> Any:
        return SWITCHED_OFF


class Recorder(Seeker):
    """Records one run, from its beginning or from where another broke off."""

    def __init__(self, archive: Archive, recording: Recording, head: dict[str, Any], policy: Policy,
                 granularity_s: float = GRANULARITY_S) -> None:
        super().__init__(archive, classes=head.get("classes"))
        self.log = LogWriter(recording.log_path)
        self.writer = CheckpointWriter(recording, self.log)
        self.clock = Clock()
        self.entropy = Entropy(bytes.fromhex(head["entropy"]))
        self.policy, self.granularity_s, self.contention = policy, granularity_s, Contention()
        self.started_s = self.last_s = self._checkpoint_s = now_s()
        self.pause_s = self.border_s = 0.0    # of checkpoints; of all that borders take
        self.saved = 0
        self._looped_s = 0.0            # in outermost loops that ended
        self.had_border = False
        self._remade = Remade(self.writer.unwritten)
        self.first = FirstCheckpoint(policy, self.writer, self._remade)
        self._look_s = 0.0              # what the last look at a beginning took
        self._brief: set[str] = set()   # outermost loops that ended before a border could pay
        self.iterations, self._longest_s = 0, 0.0     # of the main loop
        self._recording = recording
        self._markers: list[Marker] = []
        self.plain_modules: list[str] = []     # not instrumented: path and why
        self._unnoted: dict[str, dict[Marker, None]] = {}
        self._around = ""
        self._text: list[bytes] = []
        self.run = Run()
        self._alike = Standing(self.shapes.by_tag)     # not of what was restored
        self.log.write("run", format=FORMAT, **head)

    def begin_from(self, run: Run, border: int) -> None:
        """Go on where a run broke off: at the checkpoint of that border."""
        self.run, self.target = run, run.borders[border].position
        self.clock.is_off = True   # nothing is noted on the way

    def arrive(self) -> None:
        super().arrive()
        place = self.run.border(self._arrived)
        assert place is not None
        output.flush()
        self._text.clear()
        self.clock.is_off = False
        self.last_s = self._checkpoint_s = now_s()
        self.started_s = self.last_s - self.run.borders[place].at_s

    def stuck(self, why: str) -> None:
        print(f"rex: the run cannot go on at {self.target}: {why}; record it again", file=sys.stderr,
              flush=True)
        os._exit(OwnFailure.code)

    def unready(self, why: str) -> None:
        self.stuck(why)

    def did_restore(self, saved: Snapshot, position: str, entry: Entry,
                    checkpoint: Checkpoint) -> None:
        self._arrived = position

    def install(self) -> None:
        """Stand between the script and the outside world."""
        self.clock.install()
        self.entropy.install()
        output.tee(self._take_output, passes=lambda fd: True)
        self.files = Files((os.path.realpath(self.archive.path) + os.sep,), self._note_written,
                           self._note_input, {path: line["was_there"] for path, line in self.run.files.items()},
                           lambda: self.log.write("child"))
        self.files.install()
        self.plain.install()
        store_before_end(self.writer.close)

    def _note_written(self, path: str, was_there: bool, before: bytes | None) -> None:
        if path in self.run.files:
            return   # the run that broke off reported it
        content = self.writer.keep(f"hindsight/before/{len(self.files.written)}", before) \
            if before is not None and self.files else None
        self.log.write("file", path=path, was_there=was_there,
                       before=content.to_json() if content else None)

    def _note_input(self, path: str, identity: list[Any]) -> None:
        self.log.write("input", path=path, identity=identity)

    def _take_output(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._text.append(data)

    def fence(self) -> Any:
        return _Fence()

    def note_module(self, name: str, path: str, source: bytes, why_plain: str = "") -> None:
        """Keep the source of a module, and why it could not be instrumented."""
        if why_plain:
            self.plain_modules.append(f"{path}: {why_plain}")
        if name in self.run.modules and self.target:
            return
        content = self.writer.keep(f"hindsight/source/{name}", source)
        self.log.write("module", name=name, path=path, source=content.to_json(),
                       **({"why_plain": why_plain} if why_plain else {}))

    def takes_trainer(self, name: str, path: str, source: bytes) -> bool:
        if name not in self.run.trainers:
            self.log.write("trainer", name=name, path=path, digest=digest_of(source), version=version_of(name))
        return True

    def note_unseen(self, path: str, why: str) -> None:
        self.plain_modules.append(f"{path}: {why}")

    def became_plain(self, module: str, code: types.CodeType) -> None:
        self.log.write("plain", functions=[f"{module}:{name}" for name in markers_of(code)])

    def add_function(self, function: str, space: dict[str, Any], marker: str) -> None:
        made = Marker(function, space, marker, self)
        self._markers.append(made)
        for unnoted in self._unnoted.values():
            unnoted[made] = None
        space[marker] = made

    def called(self, marker: Marker) -> None:
        """A function was called within the loops of the moment, and was not before."""
        unnoted = self._unnoted.setdefault(self._around, dict.fromkeys(self._markers))
        if marker in unnoted:
            del unnoted[marker]
            self.log.write("call", loop=self._around, function=marker.function)

    def entered(self) -> None:
        around = "/".join([entry.site.key for entry in self.stack])
        if around != self._around:
            self._around = around
            unnoted = self._unnoted.get(around)
            if unnoted is None:
                unnoted = self._unnoted[around] = dict.fromkeys(self._markers)
            for marker in unnoted:
                marker.space[marker.name] = marker

    def begin(self, entry: Entry) -> bool:
        return self.seek_begin(entry) is not False if self.target else True

    def group(self, entry: Entry) -> int:
        if self.target:
            return 1
        bodies = entry.bodies
        if len(bodies) < _TRIAL_BODIES or entry.site.facts.is_by_hand:
            return 1
        if min(bodies) >= self.granularity_s * (_OUTERMOST if self.stack[0] is entry else 1):
            return 1
        entry.is_tracked = False
        if self.stack[0] is not entry:
            return 0
        mean = max((now_s() - entry.started_s) / max(entry.iteration, 1), 1e-7)
        return max(1, min(_MANY, 2 * entry.iteration, int(2 * self.granularity_s / mean)))

    def turn(self, entry: Entry) -> None:
        if self.target:
            self.seek_turn(entry)
            entry.turned_s = now_s()
            self.begin_body(entry)
            return
        if not entry.iteration and self.stack[0] is entry:
            self._look_at_beginning(entry)
        now = now_s()
        self.end_body(entry)
        if entry.site.facts.is_while and not entry.is_tracked and self.stack[0] is entry and (
                now - self.last_s < 2 * self.granularity_s):
            return
        is_first = self.stack[0] is entry and entry.is_tracked
        saved = min(now - entry.turned_s, now - self._checkpoint_s) if entry.iteration else 0.0
        self._border(entry.place, entry, now, saved, is_first)
        entry.turned_s = now_s()
        self.begin_body(entry)

    def begin_body(self, entry: Entry) -> None:
        """One of a loop's first iterations begins: is its body long? Its own waits for a processor are not counted."""
        if len(entry.bodies) < _TRIAL_BODIES:
            entry.turned_worked_s = self.contention.worked_s()

    def end_body(self, entry: Entry) -> None:
        """It is over."""
        if entry.iteration > 0 and len(entry.bodies) < _TRIAL_BODIES:
            entry.bodies.append(self.contention.worked_s() - entry.turned_worked_s)

    def end(self, entry: Entry, took_s: float) -> None:
        if self.target:
            return
        is_outermost = not self.stack
        if is_outermost:
            self._looped_s += took_s
            if took_s < self.granularity_s:
                self._brief.add(entry.site.key)
        is_main = is_outermost and took_s > self._longest_s
        if is_main:
            self.iterations, self._longest_s = entry.begun, took_s
        if is_outermost and took_s >= self.granularity_s:
            self.log.write("loop", position=entry.position, iterations=entry.begun,
                           took_s=round(took_s, 6))
        self._border(f"{entry.position}!", entry, now_s(), took_s,
                     took_s >= self.granularity_s or entry.site.facts.is_by_hand, is_main)

    def _border(self, position: str, entry: Entry, now: float, saved_s: float,
                is_kept: bool, is_last: bool = False) -> None:
        spent = now - self.last_s
        if spent < self.granularity_s / 5 and not is_kept:
            return
        clock = self.contention.clock()
        begun_s = clock()
        self.had_border = True
        self._write_output(has_more=True)
        at_s = now - self.started_s
        self.log.write("border", position=position, at_s=round(at_s, 6), spent_s=round(spent, 6),
                       clock=self.clock.count, entropy=self.entropy.count)
        self._checkpoint_if_wanted(position, entry, now, saved_s, is_last)
        self.last_s = now_s()
        self.border_s += clock() - begun_s

    def _checkpoint_if_wanted(self, position: str, entry: Entry, now: float, saved_s: float, is_last: bool) -> None:
        outermost = self.stack[0] if self.stack else None
        worked = self.contention.worked_share     # what checkpoints take is measured without waits for a processor
        is_end = position.endswith("!")
        looped_s = self._looped_s + (now - outermost.started_s if outermost else 0.0)
        border = Occasion(entry.site.key + ("!" if is_end else ":"), saved_s * worked, looped_s * worked, is_end, is_last,
                          outermost.ahead_s * worked if outermost else 0.0)
        self.policy.correct(self.cost_s + self.writer.expected_s * self.lost_share)
        if saved_s <= 0 or self.writer.failure is not None or is_capturing():
            return
        if self.policy.price is not None and not self.policy.taken:
            self.first.foresee(self.lost_share)
        if not self.policy.wants(border):
            return
        try:
            if self.policy.price is None and not self._look_at_state(border, entry):
                return
            if is_last or not self.first.prepare(border, self.lost_share):
                self.checkpoint(position, border.kind, entry)
        except Exception as error:   # objects raise what they like; the training goes on
            self.writer.failure = error

    @property
    def lost_share(self) -> float:
        """Seconds that the training loses per second of the writer's."""
        return self.contention.lost_share(self.writer.busy_s, self.writer.waited_s)

    @property
    def cost_s(self) -> float:
        """What recording has taken from the training: borders with their checkpoints, the writer's part, clock and random bytes."""
        return (self.border_s + self.writer.busy_s * self.lost_share
                + _HOOK_S * (self.clock.count + self.entropy.count))

    def _write_output(self, has_more: bool = False) -> None:
        output.flush()
        if fresh := self.clock.take_fresh():
            self.log.write("clock", has_more=has_more or bool(self._text), s=fresh)
        if self._text:
            data = b"".join(self._text)
            self._text.clear()
            self.log.write("out", has_more=has_more, text=data.decode("utf-8", "surrogateescape"))

    def _look_at_beginning(self, entry: Entry) -> None:
        """An outermost loop begins: note the large memory that a replay finds there too."""
        allowed_s = max(_LOOK_S, _LOOK_SHARE * (now_s() - self.started_s))
        self._remade.clear()
        if self.policy.overhead >= 1 or entry.site.key in self._brief or self._look_s > allowed_s or is_capturing():
            return
        clock, sizer = self.contention.clock(), Sizer()
        begun = clock()
        try:
            walk_roots(self.shapes, sizer, self.roots(entry).pairs())
            self._remade.note(sizer.large, allowed_s / HASH_S)
        except Exception:   # objects raise what they like; a checkpoint will tell
            self._remade.clear()
        self._look_s = clock() - begun
        self.border_s += self._look_s

    def _look_at_state(self, border: Occasion, entry: Entry) -> bool:
        """Look at the state for the first time: whether to keep it."""
        clock, sizer = self.contention.clock(), Sizer()
        begun = clock()
        walk_roots(self.shapes, sizer, self.roots(entry).pairs(), met=self._alike.met)
        return self.first.is_affordable(border, sizer, clock() - begun, self.lost_share)

    def checkpoint(self, position: str, kind: str, entry: Entry) -> None:
        """Keep the state of this moment."""
        clock = self.contention.clock()
        begun = clock()
        snapshot, taken = self._walk(self.roots(entry).pairs(), self._remade)
        if why := company(self.modules) or (self.files.why_lost if self.files else ""):
            snapshot.opaque.setdefault("<beside>", why)
        pending = taken.pending_bytes
        waited = self.writer.put(position, snapshot, taken, clock() - begun)
        if clock is thread_s:     # which does not go on in waits
            self.border_s += waited
            begun -= waited
        pause = clock() - begun
        self.pause_s += pause
        price = Price(pause, self.writer.cost_s(pending) * self.lost_share)
        self.policy.paid(kind, price)
        if self.policy.taken == 1:   # it holds what never changes too; what changes, the next one tells
            price = Price(min(pause, self.first.walk_s or pause) * _WARM, self.writer.cost_s(0) * self.lost_share)
        self.policy.foresee(price)
        self._checkpoint_s = now_s()

    def _walk(self, pairs: Iterable[tuple[str, Any]], remade: Remade | None = None) -> tuple[Snapshot, Taken]:
        """Copy what the values reach, for the writer, but for what a replay makes again."""
        copier = self.writer.copier(remade)
        try:
            return walk_roots(self.shapes, copier, pairs, self._alike.known, self._alike.met), copier.finish()
        except BaseException:
            self.writer.drop(copier.taken)
            raise

    def value(self, name: str, value: Any) -> None:
        """Keep a logged value."""
        self._write_output()
        self.log.write("value", name=name, value=plain_value(value), iteration=self.iteration)

    def save(self, name: str, value: Any) -> None:
        """Keep an object, in the background."""
        snapshot, taken = self._walk([("saved", value)])
        self.saved += 1
        self.writer.put(f"={name}.{self.saved}", snapshot, taken, 0.0)

    def _why_none(self) -> str:
        """Why no state was kept, and what to do."""
        if not self.had_border:
            return (f"no loop of the script had iterations of {format_duration(self.granularity_s)} or more; "
                    "record with a smaller --granularity, or mark the loop with rex.hindsight.loop")
        if (price := self.policy.refused) is not None:
            running_s = now_s() - self.stack[0].started_s if self.stack else 0.0
            looped_s = (self._looped_s + running_s) * self.contention.worked_share
            needed = min(price.total_s / max(looped_s, 1e-3) * 1.2, 1.0)
            return (f"one takes about {format_duration(price.total_s)}, and --overhead {self.policy.overhead:g} of "
                    f"{format_duration(looped_s)} in loops is less; record with --overhead {needed:.2g}")
        return "no border of a loop came after enough computation; record with --overhead 1 to have one at each"

    def finish(self, status: int) -> dict[str, Any]:
        """Write everything; facts for the manifest and the summary."""
        if self.target:
            self.writer.failure = self.writer.failure or NotFound(
                f"the script never came to {self.target}", "", "is it the same?")
        self._write_output()
        took = now_s() - self.started_s
        if self.stack and now_s() - self.stack[0].started_s > self._longest_s:   # the script ended within its loop
            self.iterations = self.stack[0].now
        self.writer.close()
        stored = [c for c in self.writer.written if c.position[0] != "="]
        thinner = self.writer.thinner
        bytes_stored = thinner.live_bytes if thinner else self._recording.stored_bytes
        facts: dict[str, Any] = {"took_s": round(took, 6), "status": status, "pause_s": round(self.pause_s, 6),
                 "overhead": round(self.cost_s / max(took * self.contention.worked_share - self.border_s, 1e-3), 6),
                 "why_none": "" if stored else self._why_none(),
                 "border_s": round(self.border_s, 6), "cost_s": round(self.cost_s, 6), "writer_s": round(self.writer.busy_s, 6),
                 "checkpoints": len(stored), "iterations": self.iterations,
                 "stored": bytes_stored, "plain_modules": self.plain_modules, "failure": str(
                     self.writer.failure or "")}
        self.log.write("end", True, **facts)
        self.log.close()
        return facts

