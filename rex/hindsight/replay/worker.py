"""The replaying side: restores, skips, runs what is asked for, and compares with the recording."""

from __future__ import annotations

import json
import os
import sys
import types
from importlib.util import decode_source
from typing import Any, Callable, NoReturn

from rex.archive import Archive
from rex.errors import UsageError
from rex.hindsight.capture.graph import Snapshot, walk_roots
from rex.hindsight.capture.interpreter import INTERPRETER
from rex.hindsight.capture.memory import Hasher, Keeper
from rex.hindsight.capture.shapes import Cannot
from rex.hindsight.instrument.changes import compare
from rex.hindsight.instrument.prepare import digest_of, trainer_preparer
from rex.hindsight.instrument.rewrite import PROBE, ModulePlan, empty_plan, plan_module, rewrite
from rex.hindsight.instrument.usercode import all_codes
from rex.hindsight.replay.added import AddedFiles
from rex.hindsight.replay.difference import difference
from rex.hindsight.replay.fence import Fence
from rex.hindsight.replay.private import PrivateView
from rex.hindsight.replay.saved import encode_saved
from rex.hindsight.run.files import Files, undo
from rex.hindsight.run.read_ahead import Ahead
from rex.hindsight.run.room import Ends
from rex.hindsight.run.seek import Seeker
from rex.hindsight.run.session import Entry
from rex.hindsight.trace import current, output
from rex.hindsight.trace.clock import Clock, Entropy
from rex.hindsight.trace.output import first_lines_apart
from rex.hindsight.trace.records import Checkpoint, Run, content_of, read_run
from rex.hindsight.trace.values import plain_value

_VERIFIED = 2     # restores of a loop that are always compared
_MANY = 1 << 20
_OFTEN, _SMALL_BYTES = 8, 4 << 20   # then one of so many, of small states
RunScript = Callable[[str, list[str], Any, Any, Any], int]
_encode = json.JSONEncoder(separators=(",", ":")).encode    # ours, whatever the script makes of json's


class Replayer(Seeker):
    """Replays the piece of a run that a job describes."""

    def __init__(self, archive: Archive, run: Run, job: dict[str, Any]) -> None:
        super().__init__(archive, job["start"], run.head.get("classes"))
        self.run = run
        self.clock = Clock(run.clock)
        self.entropy = Entropy(bytes.fromhex(run.head["entropy"]))
        self.skipped = self.checked = 0
        self._job = job
        self._quiet = job["quiet"]       # position from which on this worker's piece begins
        self._shown, self._steps = (None if job[name] is None else frozenset(job[name]) for name in ("shown", "steps"))
        self._skippable, self.mentioned = set(job["skippable"]), set(job["mentioned"])
        self._touched = set(job["touched"])
        self._last_inside = _last_inside(run)
        stop = run.border(job["stop"])
        self._stop_place = len(run.borders) if stop is None else stop
        self._active = {key for b in run.borders for key in _keys(b.position)}
        self.ahead = Ahead(Ends(*job["ahead"]))
        self._events = os.fdopen(job["events"], "w", encoding="utf-8", errors="surrogateescape")
        self._restores: dict[str, int] = {}
        self._text: list[bytes] = []
        self.printed: list[tuple[int, bytes]] = []     # by the probe that runs
        self._synced = 0                 # pieces of the recorded output that are accounted for
        self.in_probe = 0
        self.undoes_draws = True         # those of changed code are the program's
        self.added: AddedFiles | None = None     # where files can be kept apart
        self.has_begun = job["is_first"] and not job["only_loop"]     # what is written belongs to this piece
        self._saved = 0                   # objects that added statements kept
        self.has_probed = False           # since the last state that was compared

    def tell(self, kind: str, **facts: Any) -> None:
        """Tell the parent."""
        self._events.write(_encode({"e": kind, **facts}) + "\n")
        self._events.flush()

    def install(self) -> None:
        """Stand between the script and the outside world."""
        self.clock.install()
        self.entropy.install()
        output.tee(self._take_output, passes=lambda fd: fd == 2, is_direct=True)   # probes begin and end at any time
        self.streams = sys.stdout, sys.stderr
        if self._job["written"] or self._job["covered"]:
            self._make_private()
        self.files = Files((os.path.realpath(self.archive.path) + os.sep,), lambda *_: None, None,
                           {path: line["was_there"] for path, line in self.run.files.items()})
        self.files.unkept = {path for path, line in self.run.files.items() if line["was_there"] and not line["before"]}
        self.files.note_unkept = lambda path: self.tell("note", key=f"unkept {path}", text=f"{path} was there before the run, "
                                                        "which did not keep it: what is read of it is what the run left there")
        self.files.is_added, self.files.is_adding = self._is_added, lambda: bool(self.in_probe)
        self.files.install()
        self.plain.install()

    def _is_added(self, path: str, is_anew: bool) -> bool:
        if not self.in_probe:
            return False
        if self.added is not None:
            return self.added.will_write(path, is_anew, self._is_shown())
        self.tell("note", key="view", text="this system gives no private view of files: what added statements write "
                  "is where they say, and not apart")
        return path not in self.run.files

    def save(self, name: str, value: Any) -> None:
        if self.in_probe and self._is_shown():
            self.tell_printed()
            keeper = Keeper()
            snapshot = walk_roots(self.shapes, keeper, [("saved", value)])
            self._saved += 1
            at = os.path.join(self._job["scratch"], f"saved{self._saved}")
            with self.files.unseen(), open(at, "wb") as file:
                file.write(encode_saved(snapshot, keeper))
            self.tell("saved", name=name, iteration=self.iteration, at=at)

    def became_plain(self, module: str, code: types.CodeType) -> None:
        if any(PROBE in each.co_names for each in all_codes(code)):
            self.tell("note", key=f"plain {code.co_qualname}", text=f"a library reads the code of {code.co_qualname}: what "
                      "statements added to it print counts as the script's output")

    def fail(self, error: UsageError) -> NoReturn:
        """End the piece with an error."""
        self.tell("failed", what=error.what, why=error.why, advice=error.advice)
        os._exit(error.code)

    def _make_private(self) -> None:
        """See the files as they were before the run; what is written now is seen here only."""
        view, written = PrivateView(self._job["scratch"]), self._job["written"]
        if view.begin() and view.cover_all(written):
            self.added = AddedFiles(view, self.run.files)
            for folder in self._job["covered"]:
                view.cover_place_of(os.path.join(folder, "any"))
        elif not written:
            return
        elif self._job["jobs"] > 1:
            raise UsageError("this system gives no private view of files", "the script writes some",
                             "replay with -j 1: what it writes is then written again")
        else:
            self.tell("note", key="files", text="this system gives no private view of files: what the "
                      "script writes is written again")
            return
        for path, line in sorted(self.run.files.items(), reverse=True):   # folders behind what is in them
            undo(self.archive, path, line)

    def _is_shown(self) -> bool:
        if self.is_astray or (self.target or self._quiet) and not self._job["is_first"]:
            return False
        if not self.stack:
            return not self._job["only_loop"]
        return (self._shown is None or self.iteration in self._shown) and (
            self._steps is None or len(self.stack) < 2 or self.stack[1].now in self._steps)

    def _take_output(self, fd: int, data: bytes) -> None:
        if self.in_probe:
            if self.printed and self.printed[-1][0] != fd:
                self.tell_printed()
            self.printed.append((fd, data))
        elif fd == 1 and not self.is_astray:
            self._text.append(data)

    def tell_printed(self) -> None:
        """Tell what the probe that ends has printed."""
        if self.printed and self._is_shown():
            text = b"".join(data for _, data in self.printed).decode("utf-8", "surrogateescape")
            self.tell("probe", fd=self.printed[0][0], text=text, iteration=self.iteration)
        self.printed.clear()

    def fence(self) -> Any:
        return Fence(self, self.undoes_draws)

    def value(self, name: str, value: Any) -> None:
        """A value logged by hand; those of probes are new."""
        if self.in_probe and self._is_shown():
            self.tell_printed()
            self.tell("value", name=name, value=plain_value(value), iteration=self.iteration)

    def _add_sites(self, plan: ModulePlan, space: dict[str, Any]) -> None:
        super()._add_sites(plan, space)
        for facts in plan.loops.values():
            if facts.key not in self._active:
                self.sites[facts.key].off()

    def takes_trainer(self, name: str, path: str, source: bytes) -> bool:
        recorded = self.run.trainers.get(name)
        if recorded is not None and recorded["digest"] != digest_of(source):
            self.fail(UsageError(f"{path} is not what it was when the run was recorded", f"then it was of {recorded['version']}",
                                 "install that version, or record the run again"))
        return recorded is not None

    # Where the run is led.

    def begin(self, entry: Entry) -> bool:
        if self.target and (answer := self.seek_begin(entry)) is not None:
            return answer
        end = f"{entry.position}!"
        if not self._may_skip(entry, end):
            return True
        place = self.run.border(end)
        if place is None or self.run.borders[place].checkpoint is None:
            return True
        if not self.target:
            self._compare_output(self.run.borders[place].outputs, end, is_whole=False)
        try:
            self.restore(end, entry)
        except Cannot as why:
            self.tell("note", text=f"{end}: not skipped: {why}", key="not skipped")
            return True
        self.skipped += not self._quiet
        return False

    def _may_skip(self, entry: Entry, end: str) -> bool:
        if self._job["runs_all"]:
            return False
        if self._quiet:   # what is probed there is another worker's
            return self._quiet != end and not _is_at(self._quiet, entry.position)
        return (entry.site.key in self._skippable and not _is_at(self._job["stop"], entry.position)
                and end not in self._job["verify"])

    def stuck(self, why: str) -> None:
        self._give_up("stuck", position=self.target, why=why)

    def unready(self, why: str) -> None:
        self.regret(why)

    def regret(self, why: str) -> None:
        if self._job["runs_all"]:     # so that it would come to this again
            self.fail(UsageError("what added statements changed cannot be put back", why, "let them change nothing"))
        self._give_up("regret", why=why)

    def _give_up(self, kind: str, **facts: Any) -> NoReturn:
        self.tell(kind, **facts)
        self._events.close()
        os._exit(0)

    def turn(self, entry: Entry) -> None:
        if self.target:
            self.seek_turn(entry)
        else:
            self._pass(entry.place, entry)

    def group(self, entry: Entry) -> int:
        if self.stack[0] is entry or self.target:
            return 1
        is_over = entry.iteration > self._last_inside.get(entry.position, -1)
        if is_over:
            entry.is_tracked = False
        return (0 if self._steps is None else _MANY) if is_over else 1     # steps are counted if they are asked for

    def end(self, entry: Entry, took_s: float) -> None:
        if not self.target:
            self._pass(f"{entry.position}!", entry)

    # What is compared.

    def _pass(self, position: str, entry: Entry) -> None:
        """The run is at a border by itself: it must be as it was."""
        place = self.run.border(position)
        if place is not None:
            border = self.run.borders[place]
            if place > self._stop_place:   # what comes is another worker's
                self._lose(self._job["stop"])
            if self._quiet == position:
                self._quiet = ""
                self._forget_output(border.outputs)
            self._compare_output(border.outputs, position, is_whole=True)
            self.clock.count, self.entropy.count = border.clock, border.entropy
            if border.checkpoint is not None and not border.checkpoint.why_not and not self._quiet:
                self._compare_state(border.checkpoint, position, entry)
                self.has_probed = False
        if position == self._job["stop"] or self.iteration >= self._job["until"]:
            self.leave()

    def _forget_output(self, upto: int) -> None:
        output.flush()
        self._text.clear()
        self._synced = upto

    def _compare_output(self, upto: int, position: str, is_whole: bool) -> None:
        if self._quiet:
            self._forget_output(upto)
            return
        output.flush()
        mine = b"".join(self._text).decode("utf-8", "surrogateescape")
        theirs = "".join(self.run.outputs[self._synced:upto])
        self._text.clear()
        self._synced = upto
        is_same = mine == theirs if is_whole else theirs.startswith(mine)
        if not is_same:
            recorded, now = first_lines_apart(theirs, mine)
            self._diverged("output", position, recorded=recorded, now=now)

    def _compare_state(self, checkpoint: Checkpoint, position: str, entry: Entry) -> None:
        stored = self.read_stored(position, checkpoint)
        live = walk_roots(self.shapes, Hasher(), self.roots(entry).pairs(), self.standing.known)
        self.checked += 1
        if stored.is_like(live):
            return
        names = list(difference(self.decode(stored), live))
        if not names:
            return
        try:
            self.restore(position, entry)
        except Cannot as why:
            self.tell("note", text=f"the state at {position} could not be put back: {why}", key="cannot")
        else:
            if self.has_probed and all(name.startswith(INTERPRETER) for name in names):
                return     # threads that added statements began have taken names (Thread-1): put back
            if self.has_probed and self._touched.issuperset(map(_variable, names)):
                self.tell("note", key="changed", text=f"added statements change {names[0]} (iteration "
                          f"{self.iteration}): put back at the next checkpoint")
                return
        self._diverged("state", position, names=names[:20])

    def _diverged(self, what: str, position: str, **facts: Any) -> None:
        """Report a difference found at a border: it came about in the iteration before it."""
        is_start = "/" not in position and ":" in position
        self.tell("diverged", what=what, position=position, iteration=self.iteration - is_start, **facts)

    def did_restore(self, saved: Snapshot, position: str, entry: Entry,
                    checkpoint: Checkpoint) -> None:
        """Compare the state just restored: always at first, later now and then if that costs little."""
        place = self.run.border(position)
        self._text.clear()
        self._synced = self.run.borders[place].outputs if place is not None else 0
        key = entry.site.key
        self._restores[key] = self._restores.get(key, 0) + 1
        if self._restores[key] > _VERIFIED and (
                checkpoint.size_bytes > _SMALL_BYTES or self._restores[key] % _OFTEN):
            return
        live = walk_roots(self.shapes, Hasher(), self.roots(entry).pairs())
        if saved.digests() != live.digests() and (names := list(difference(saved, live))):
            self._diverged("state", position, names=names[:20], restored=True)

    def finish(self, status: int) -> None:
        """The script ended by itself."""
        if self.target or self._quiet:
            self.tell("lost", position=self.target or self._quiet)
        else:
            self._compare_output(len(self.run.outputs), "end", is_whole=True)
        self._tell_added()
        self._tell_end(status)

    def _lose(self, position: str) -> None:
        """The run went another way than the recorded one."""
        self._give_up("lost", position=position)

    def leave(self) -> None:
        """The piece is done: end the process without running any more of the script."""
        self._tell_added()
        self._tell_end(0)
        multiprocessing = sys.modules.get("multiprocessing")
        for child in multiprocessing.active_children() if multiprocessing else ():
            child.terminate()
        os._exit(0)

    def begin_files(self) -> None:
        """An added statement runs: from its first one that was asked for on, what is written is reported."""
        if not self.has_begun and self._is_shown():
            self.has_begun = True
            if self.added is not None:
                self.added.begin()

    def _tell_added(self) -> None:
        if self.added is None or not self.has_begun:
            return
        for facts in self.added.told(self.files.opened if self.files else ()):
            if facts["at"]:
                self.tell("file", **facts)
            else:
                self.tell("note", key=f"removed {facts['path']}", text=f"an added statement removed {facts['path']}: it is still there")

    def _tell_end(self, status: int) -> None:
        if self.has_probed and self._job["changes"]:
            self.tell("note", key="unseen", text=f"added statements assign to {self._job['changes']}, and no checkpoint "
                      "came after to put it back: what follows may differ from the recorded run")
        self.tell("end", status=status, skipped=self.skipped, checked=self.checked,
                  restored=self.restored, restore_s=round(self.restore_s, 6),
                  pause_s=round(self.restore_pause_s, 6))
        self._events.close()


def _is_at(position: str, loop: str) -> bool:
    """Whether a position lies within a loop, or is its end."""
    return position.startswith((f"{loop}:", f"{loop}!"))


def _variable(path: str) -> str:
    """The variable that a path to a difference begins with."""
    name = path.partition(" ")[0]
    if "()." in name or "()~" in name:   # of a frame
        name = name.partition(").")[2] or name.rpartition(".")[2]
    return name.replace("[", ".").partition(".")[0]


def _last_inside(run: Run) -> dict[str, int]:
    """The last iteration of each loop that has borders at or within it."""
    found: dict[str, int] = {}
    for border in run.borders:
        parts = border.position.rstrip("!").split("/")
        for depth, part in enumerate(parts):
            name, colon, iteration = part.partition(":")
            if colon:
                position = "/".join([*parts[:depth], name])
                found[position] = max(found.get(position, -1), int(iteration))
    return found


def _keys(position: str) -> list[str]:
    return [part.rstrip("!").partition(":")[0].rpartition(".")[0] for part in position.split("/")]


def _preparer(replayer: Replayer, archive: Archive) -> Callable[[str, str, Any], types.CodeType]:
    def prepare(name: str, path: str, module: types.ModuleType) -> types.CodeType:
        with open(path, "rb") as file:
            source = file.read()
        plain: types.CodeType = compile(source, path, "exec", dont_inherit=True)
        facts = replayer.run.modules.get(name)
        if facts is None:   # new: only what was added can need it
            return plain
        if "why_plain" in facts:
            replayer.add_module(empty_plan(), module, plain, plain)
            return plain
        recorded = archive.read(content_of(facts["source"]))
        changes = compare(decode_source(recorded), decode_source(source), name, path)
        plan, replayer.undoes_draws = changes.plan, not changes.removed
        code = rewrite(plan, path)
        is_other = changes.removed or any(probe.function for probe in changes.probes)     # else functions are as they were
        former = rewrite(plan_module(recorded, name, path), path) if is_other else None
        replayer.add_module(plan, module, code, plain, former)
        return code

    return prepare


def replay(job: dict[str, Any], run_script: RunScript) -> int:
    """Replay a piece; the exit status of the script."""
    archive = Archive.open(job["archive"])
    run = read_run(archive, archive.experiment(job["experiment"]))
    replayer = Replayer(archive, run, job)
    current.session = replayer
    replayer.withheld = frozenset(job["withheld"])
    try:
        replayer.install()
    except UsageError as error:
        replayer.fail(error)
    status = run_script(job["script"], job["arguments"], _preparer(replayer, archive), trainer_preparer(replayer), replayer.libraries())
    replayer.finish(status)
    return status
