"""The log of a hindsight run: lines of JSON (docs/formats/hindsight.md)."""

from __future__ import annotations

import functools
import json
import os
import threading
from typing import Any, Callable

from rex.archive import Archive, Content, Experiment
from rex.archive.content import check_content
from rex.archive.jsonform import builder, check_texts
from rex.errors import Damaged, NotFound, RexError, TooNew
from rex.values import dataclass, field

ENGINE = "hindsight"     # of experiments that are runs or replays
FORMAT = 3       # 2: all memory was stored, and decorated functions had less. 1: states had less of sets, exceptions and tensors
_encode = json.JSONEncoder(separators=(",", ":")).encode


class LogWriter:
    """Appends lines; any thread may."""

    def __init__(self, path: str) -> None:
        self._file = open(path, "ab")
        self._lock = threading.Lock()

    def write(self, line_kind: str, is_durable: bool = False, has_more: bool = False, **facts: Any) -> None:
        """Append one line of this kind; has_more: another follows at once, and both are written together."""
        line = _encode({"k": line_kind, **facts}).encode() + b"\n"
        with self._lock:
            self._file.write(line)
            if not has_more:
                self._file.flush()
            if is_durable:
                os.fdatasync(self._file.fileno())

    def copy(self, line: bytes) -> None:
        """Append a line of another log, unless it describes a checkpoint."""
        if not line.startswith(b'{"k":"checkpoint"') and line.endswith(b"\n"):
            with self._lock:
                self._file.write(line)

    def close(self) -> None:
        """Write what is buffered."""
        self._file.close()


@dataclass(slots=True)
class Checkpoint:
    """A stored state.

    Attributes:
        why_not: why it is not complete, by root; it can then not be resumed from
            unless what it misses did not change.
        pause_s: what the training thread paid.
    """

    number: int
    position: str
    structure: Content
    table: Content
    why_not: dict[str, str]
    pause_s: float
    size_bytes: int
    stored_bytes: int


@dataclass(slots=True)
class Border:
    """A place between two pieces of the run.

    Attributes:
        position: path of loops and iterations, or of a loop's end.
        at_s: seconds since the script began; spent_s: since the border before.
        outputs: number of pieces of output before it.
        clock: readings of the clock before it. entropy: random bytes drawn before it.
    """

    position: str
    at_s: float
    spent_s: float
    outputs: int
    clock: int
    entropy: int
    checkpoint: Checkpoint | None = None


@dataclass(slots=True)
class Run:
    """What the log of a run tells.

    Attributes:
        head: facts of the start (script, arguments, environment, ...).
        modules: by name: path, source content.
        outputs: standard output in pieces, in order.
        calls: functions (as module:marker) that ran within each loop (its key; "" for none).
        plain: functions that were not instrumented any more at some time: which loops they ran within is not known.
        loops: iterations and seconds of finished top loops, by position.
    """

    head: dict[str, Any] = field(default_factory=dict)
    modules: dict[str, dict[str, Any]] = field(default_factory=dict)
    trainers: dict[str, dict[str, Any]] = field(default_factory=dict)     # modules of libraries, by name
    borders: list[Border] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    clock: list[float] = field(default_factory=list)
    calls: dict[str, set[str]] = field(default_factory=dict)
    plain: set[str] = field(default_factory=set)
    loops: dict[str, dict[str, Any]] = field(default_factory=dict)
    values: list[dict[str, Any]] = field(default_factory=list)
    probes: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, Any] = field(default_factory=dict)      # that it wrote
    has_children: bool = False       # processes that it began
    inputs: dict[str, Any] = field(default_factory=dict)     # that it read: size and hash
    end: dict[str, Any] = field(default_factory=dict)
    checkpoints: list[Checkpoint] = field(default_factory=list)

    def border(self, position: str) -> int | None:
        """The number of the border at a position."""
        return self._places().get(position)

    _by_position: dict[str, int] = field(default_factory=dict)

    def _places(self) -> dict[str, int]:
        if len(self._by_position) != len(self.borders):
            self._by_position = {b.position: n for n, b in enumerate(self.borders)}
        return self._by_position


def content_of(named: list[Any]) -> Content:
    """A content from JSON.

    Raises:
        ValueError: it is none.
    """
    sha256, size, *tree = named
    if not isinstance(sha256, str) or not isinstance(size, int):
        raise ValueError(f"not a content: {named!r}")
    return Content(sha256, size, *tree)


def checkpoint_to_json(checkpoint: Checkpoint) -> dict[str, Any]:
    """The facts of a checkpoint's line."""
    return {"number": checkpoint.number, "position": checkpoint.position,
            "structure": checkpoint.structure.to_json(),
            "table": checkpoint.table.to_json(), "why_not": checkpoint.why_not,
            "pause_s": round(checkpoint.pause_s, 6), "size": checkpoint.size_bytes,
            "stored": checkpoint.stored_bytes}


def _checkpoint(line: dict[str, Any]) -> Checkpoint:
    return Checkpoint(int(line["number"]), line["position"], content_of(line["structure"]),
                      content_of(line["table"]), dict(line["why_not"]), float(line["pause_s"]),
                      int(line["size"]), int(line["stored"]))


# What the values of a line's keys are. The first line, the last one and these keys may lack them.
_MAY_LACK = ("run", "replay", "end", "why_plain", "digest", "classes")
_NAMED: dict[str, dict[str, Any]] = {
    "run": {"format": int, "script": str, "path": str, "arguments": tuple[str, ...], "environment": dict[str, str], "unset": tuple[str, ...],
            "withheld": tuple[str, ...], "cwd": str, "hash_seed": str, "entropy": str, "python": str, "start_ns": int, "granularity_s": float,
            "classes": dict[str, str]},
    "replay": {"format": int, "of": str, "probes": tuple[tuple[Any, ...], ...], "withheld": tuple[str, ...]},
    "module": {"name": str, "path": str, "why_plain": str}, "trainer": {"name": str, "path": str, "digest": str},
    "out": {"text": str}, "clock": {"s": tuple[float, ...]}, "call": {"loop": str, "function": str}, "plain": {"functions": tuple[str, ...]},
    "border": {"position": str, "at_s": float, "spent_s": float, "clock": int, "entropy": int},
    "checkpoint": {"number": int, "position": str, "why_not": dict[str, str], "pause_s": float, "size": int, "stored": int},
    "dropped": {"numbers": tuple[int, ...]}, "loop": {"position": str, "iterations": int, "took_s": float},
    "value": {"name": str, "value": Any, "iteration": Any}, "file": {"path": str, "was_there": bool, "before": Any}, "input": {"path": str}, "probe": {"fd": int, "text": str},
    "end": {"took_s": float, "pause_s": float, "overhead": float, "why_none": str, "border_s": float, "cost_s": float, "writer_s": float,
            "checkpoints": int, "iterations": int, "stored": int, "plain_modules": tuple[str, ...], "failure": str, "status": int}}
_NEEDED = ("script", "path", "arguments", "cwd", "hash_seed", "withheld", "unset", "entropy")   # to run it again
_MAX_NUMBER = 1 << 63
_IS_OF = {"source": "module"}       # a content that lines of that kind always have


@functools.cache
def _checks_of(kind: str) -> list[tuple[str, Callable[[Any], Any]]]:
    return [(name, builder(value)) for name, value in _NAMED.get(kind, {}).items()]


def _check_line(line: dict[str, Any]) -> None:
    """Make sure that a line can be used; raises TypeError, ValueError."""
    for name, build in _checks_of(line["k"]):
        may_lack = line["k"] in _MAY_LACK or name in _MAY_LACK
        value = None if may_lack and line.get(name) is None else build(line[name])
        if isinstance(value, (int, float)) and not -_MAX_NUMBER < value < _MAX_NUMBER:    # not a number is neither
            raise ValueError(f"{name} is {value!r:.60}")
    for name in ("source", "before", "structure", "table"):
        if line["k"] in ("module", "file", "checkpoint") and (line.get(name) is not None or _IS_OF.get(name) == line["k"]):
            check_content(content_of(line[name]))
    if line["k"] == "run":
        check_texts([line.get(name) for name in (*_NEEDED, "environment")])
        bytes.fromhex(line.get("entropy", ""))


def add_line(run: Run, line: dict[str, Any]) -> None:
    """Take over what a line tells; unknown kinds are passed over.

    Raises:
        KeyError, ValueError, TypeError: the line does not hold together.
        TooNew: it was written in a newer format.
    """
    _check_line(line)
    kind = line["k"]
    if kind in ("run", "replay"):
        if line["format"] > FORMAT:
            raise TooNew(f"the run has format {line['format']}", f"this Rex reads up to {FORMAT}",
                         "use a newer Rex")
        run.head = line
    elif kind == "module":
        run.modules[line["name"]] = line
    elif kind == "trainer":
        run.trainers[line["name"]] = line
    elif kind == "out":
        run.outputs.append(line["text"])
    elif kind == "clock":
        run.clock += line["s"]
    elif kind == "border":
        run.borders.append(Border(line["position"], line["at_s"], line["spent_s"],
                                  len(run.outputs), line["clock"], line["entropy"]))
    elif kind == "checkpoint" and run.head.get("format", FORMAT) < FORMAT:
        return    # its state cannot be compared with one of today: the run is run again from its start
    elif kind == "checkpoint":
        checkpoint = _checkpoint(line)
        run.checkpoints.append(checkpoint)
        place = run.border(checkpoint.position)
        if place is not None:
            run.borders[place].checkpoint = checkpoint
    elif kind == "dropped":
        gone = set(line["numbers"])
        run.checkpoints = [each for each in run.checkpoints if each.number not in gone]
        for border in run.borders:
            if border.checkpoint is not None and border.checkpoint.number in gone:
                border.checkpoint = None
    elif kind == "call":
        run.calls.setdefault(line["loop"], set()).add(line["function"])
    elif kind == "plain":
        run.plain.update(line["functions"])
    elif kind == "loop":
        run.loops[line["position"]] = line
    elif kind == "value":
        run.values.append(line)
    elif kind == "file":
        run.files[line["path"]] = line
    elif kind == "child":
        run.has_children = True
    elif kind == "input":
        run.inputs[line["path"]] = line["identity"]
    elif kind == "probe":
        run.probes.append(line)
    elif kind == "end":
        run.end = line


def read_run(archive: Archive, experiment: Experiment) -> Run:
    """The run of an experiment, finished or not, up to the last whole line.

    Raises:
        NotFound: it is none, or has no log.
        Damaged, TooNew: it cannot be read.
    """
    if experiment.begun.get("engine") != ENGINE:
        raise NotFound(f"{experiment.name} is no training run", "", "see: rex hindsight show")
    run, data = Run(), b""
    with experiment.open_log() as log:
        try:
            while block := log.read(1 << 20):
                data += block
        except (OSError, RexError):
            pass   # what was read is whole lines and perhaps a part of one
    for line in data.splitlines(keepends=True):
        if not line.endswith(b"\n"):
            break
        try:
            add_line(run, json.loads(line))
        except (ValueError, LookupError, OverflowError, TypeError, AttributeError, RecursionError) as error:
            raise Damaged(f"the record of {experiment.name} is damaged",
                          f"{type(error).__name__}: {error}", "see: rex check") from error
    if not run.head:
        raise Damaged(f"experiment {experiment.name} holds no hindsight run", "",
                      "see: rex hindsight show")
    return run


def check_head(run: Run, name: str) -> None:
    """Make sure that a run's first line tells what running it again takes; raises Damaged."""
    missing = [key for key in _NEEDED if run.head.get(key) is None]
    if missing:
        raise Damaged(f"the record of {name} is damaged", f"its first line has no {missing[0]}", "see: rex check")


def last_checkpoint(run: Run, name: str) -> int:
    """Number of the last border with a complete checkpoint.

    Raises:
        NotFound: there is none.
    """
    for place in reversed(range(len(run.borders))):
        checkpoint = run.borders[place].checkpoint
        if checkpoint is not None and not checkpoint.why_not:
            return place
    raise NotFound(f"{name} has no complete checkpoint to go on from", "", "record it again")
