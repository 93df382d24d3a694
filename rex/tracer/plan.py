"""What a tracer is asked to do, and what it reports: the same for every engine."""

from __future__ import annotations

import os
import struct

from rex.hints import TYPE_CHECKING
from rex.values import dataclass, field

if TYPE_CHECKING:
    from rex.tracer.sandbox import Sandbox

DEVNULL = -3   # for a stream, as subprocess has it
RECORD, REPLAY, LIVE = "record", "replay", "live"

# How a recorded experiment used a path: bits of FileUse.how. And, of plain files that it did not write: whether it was
# at the end as at the first look, and whether it had several names.
READ, WRITTEN, PROGRAM, LOADER, SCRIPT, DIRECTORY, SAME, LINKED = 1, 2, 4, 8, 16, 32, 64, 128

# At the gate: what, the task as the log numbers it, the process as it is now; one byte in.
STEP_QUESTION = struct.Struct("<cII")
STEP_BORN, STEP_ENDED = b"b", b"e"
STEP_RUN, STEP_SKIP, STEP_STOP = b"r", b"s", b"q"

# At the gate of a recording: task, process, and the lengths of path, arguments, variables and inherited state, which follow;
# the length of another path, and that, in.
# Before the answer: questions about names of a live run, the length with a high bit, a letter and a path; in: error, length, the answer.
EXEC_QUESTION, EXEC_ANSWER, NAME_ANSWER, ABOUT_A_NAME = struct.Struct("<6I"), struct.Struct("<I"), struct.Struct("<iI"), 1 << 31

# States of a touched path.
CAPTURED, CREATED = 1, 2

# How the program would have found a hidden directory: only in a listing, or by a name that it had.
HIDDEN_LISTED, HIDDEN_NAMED = 1, 2


@dataclass
class Plan:
    """One run of a tracer. Paths, arguments and variables are bytes, as the kernel has them.

    Attributes:
        mode: record, replay or live (archived files, with the rest of the system as it is).
        log: the log to write or to read (uncompressed); live: "" without a recording.
        program: what the first exec is given; args[0] may differ.
        explain: replay: the file to explain events in, see rex/explain.py.
        control: record: a socket to the capture service (`rex.keeping.CaptureService`).
        hints: record: a pipe to it, which never waits.
        gate: replay: a socket to who decides which steps run; record: to who says what is executed in a program's place.
        steps: replay: tasks of the log that are steps.
        withhold: record: variables whose values the log must not hold.
        hidden: record, live: directories that the program does not have (see rex/native/tracee/hidden.c).
        serialize: record: one task runs at a time, in an order that the log keeps.
        watched: record: somebody reads the log while it grows, so that events are written to it soon.
        seed: record: randomness by this seed instead of the kernel's; None leaves it.
        files: replay, live: archived path -> (mode, mtime_ns, file that stands for it).
        programs: replay, live: executed path -> file to execute for it.
        links, dirs: replay, live: archived symbolic links and directories.
        outdir, work, empty: replay, live: where outputs go; a private directory; an empty one.
        objects: live: the folder of archived files, unpacked; other files are this machine's.
        times: live: mtime_ns of links and directories.
        worlds: live: plans of which only files, links, directories and names count: what processes
            may see instead of this one's (see rex/native/live/namespace_branch.c); the first is its own.
        absent: live: paths that the archive knows not to be there.
        refused: live: what was wanted (a letter, see rex.runnew.refusals), path -> errno that the experiment got.
        stubs: live: mode, mtime_ns and size (-1: not known) of files whose content the archive lacks.
        listings: live: directories of which it knows all names, in the recorded order.
        was_in: replay: the directory that the recording began in.
        duration_ns: replay: of the recording; None: not known.
        no_stdin: replay: standard input was closed; of the other two the log says so.
        sandbox: replay: see nothing of this machine but what this tells.
        limits: of the program: number -> soft and hard limit, -1 for none; others are the tracer's.
    """

    mode: str
    log: str
    program: bytes
    args: list[bytes]
    env: list[bytes]
    report: str
    cwd: bytes | None = None
    was_in: bytes = b""
    explain: str = ""
    control: int = -1
    hints: int = -1
    gate: int = -1
    steps: list[int] = field(default_factory=list)
    withhold: list[bytes] = field(default_factory=list)
    hidden: list[bytes] = field(default_factory=list)
    serialize: bool = False
    watched: bool = False
    limits: dict[int, tuple[int, int]] = field(default_factory=dict)
    umask: int | None = None
    duration_ns: int | None = None
    no_stdin: bool = False
    seed: int | None = None
    files: dict[bytes, tuple[int, int, bytes]] = field(default_factory=dict)
    programs: dict[bytes, bytes] = field(default_factory=dict)
    links: dict[bytes, bytes] = field(default_factory=dict)
    dirs: dict[bytes, int] = field(default_factory=dict)
    outdir: bytes = b""
    work: bytes = b""
    empty: bytes = b""
    sandbox: Sandbox | None = None
    objects: bytes = b""
    times: dict[bytes, int] = field(default_factory=dict)
    absent: list[bytes] = field(default_factory=list)
    refused: dict[tuple[bytes, bytes], int] = field(default_factory=dict)
    stubs: dict[bytes, tuple[int, int, int]] = field(default_factory=dict)
    listings: dict[bytes, list[bytes]] = field(default_factory=dict)
    worlds: list["Plan"] = field(default_factory=list)

    def encode(self) -> bytes:
        """The plan as rex-engine reads it: key=value records, each ended by NUL."""
        items: list[tuple[str, bytes]] = [
            ("mode", self.mode.encode()), ("program", self.program),
            ("report", os.fsencode(self.report))]
        if self.log:
            items.append(("log", os.fsencode(self.log)))
        items += [("arg", a) for a in self.args] + [("env", e) for e in self.env]
        items += [("withhold", name) for name in self.withhold] + [("hidden", path) for path in self.hidden]
        for key, value in (("cwd", self.cwd), ("outdir", self.outdir), ("work", self.work),
                           ("empty", self.empty), ("objects", self.objects), ("was_in", self.was_in)):
            if value:
                items.append((key, value))
        if self.explain:
            items.append(("explain", os.fsencode(self.explain)))
        if self.control >= 0:
            items.append(("control", b"%d" % self.control))
        if self.hints >= 0:
            items.append(("hints", b"%d" % self.hints))
        if self.gate >= 0:
            items.append(("gate", b"%d" % self.gate))
        items += [("step", b"%d" % task) for task in self.steps]
        if self.serialize:
            items.append(("serialize", b"1"))
        if self.duration_ns is not None:
            items.append(("duration", b"%d" % self.duration_ns))
        if self.watched:
            items.append(("watched", b"1"))
        if self.no_stdin:
            items.append(("no_stdin", b"1"))
        items += [("limit", b"%d %d %d" % (number, *pair)) for number, pair in self.limits.items()]
        if self.seed is not None:
            items.append(("seed", b"%d" % self.seed))
        if self.umask is not None:
            items.append(("umask", b"%o" % self.umask))
        for path, file in self.programs.items():
            items += [("exec_from", path), ("exec_to", file)]
        for world in self.worlds:
            items += [("world", b""), *world.names()]
        if not self.worlds:
            items += self.names()
        return b"".join(key.encode() + b"=" + value + b"\0" for key, value in items)

    def names(self) -> list[tuple[str, bytes]]:
        """The part of the plan that says what is where."""
        items: list[tuple[str, bytes]] = []
        for path, (mode, mtime_ns, file) in self.files.items():
            items += [("from", path), ("to", b"%o %s %s" % (mode, _time(mtime_ns), file))]
        for path, target in self.links.items():
            items += [("link_from", path), ("link_to", target)]
        items += [("dir", b"%o %s" % (mode, path)) for path, mode in self.dirs.items()]
        items += [("time", b"%s %s" % (_time(mtime_ns), path)) for path, mtime_ns in self.times.items()]
        items += [("absent", path) for path in self.absent]
        items += [("refused", b"%s %d %s" % (letter, code, path)) for (letter, path), code in self.refused.items()]
        items += [("stub", b"%o %s %d %s" % (mode, _time(mtime_ns), size, path)) for path, (mode, mtime_ns, size) in self.stubs.items()]
        for path, names in self.listings.items():
            items.append(("listed", path))
            items += [("entry", path.rstrip(b"/") + b"/" + name) for name in names]
        return items


def _time(time_ns: int) -> bytes:
    """Seconds and nanoseconds since 1970: years before 1678 and after 2262 do not fit into 64 bits of nanoseconds."""
    return b"%d %d" % divmod(time_ns, 10**9)


@dataclass(frozen=True, slots=True)
class FileUse:
    """How a recorded experiment used one path, and the file's identity at the first look."""

    how: int
    inode: int
    size: int
    mtime_ns: int


@dataclass
class Divergence:
    """The first event where replay and log disagree; may_race: there are threads, whose order is not of the log."""

    event: int
    task: int
    may_race: bool
    why: str
    asked: str
    logged: str


@dataclass
class Difference:
    """The first output event whose bytes differ, and its stream (2 stdout, 3 stderr); may_race as above."""

    event: int
    stream: int
    may_race: bool


def rule_text(value: str) -> str:
    """The rules of a call in words: its row of the rules, the row that matched its event, the gate that held it."""
    rule, match, gate, held_ns = value.split("\t")
    text = f"rule {rule}"
    if match != "-":
        text += f", event by {match}"
    return text + (f", after {int(held_ns) / 1e9:.3f} s at gate {gate}" if gate != "-" else "")


@dataclass
class Report:
    """What a tracer says when all tracees have ended.

    Attributes:
        status: wait status of the first process.
        touched: path -> CAPTURED or CREATED, for all that the experiment changed.
        aliases: names with symbolic links in them.
        loaders: executed program -> its ELF loader.
        live: live: kind and name of what was used of this machine.
        hidden: record: directory of the plan -> HIDDEN_LISTED or HIDDEN_NAMED, where the program would have found it.
        gone: live: paths that the run removed.
        difference: replay: the first output that differs.
        divergence_rule: replay: the rule that acted at the divergence, and what the call had waited for.
    """

    status: int = 0
    events: int = 0
    duration_ns: int = 0
    uses: dict[bytes, FileUse] = field(default_factory=dict)
    touched: dict[bytes, int] = field(default_factory=dict)
    aliases: list[bytes] = field(default_factory=list)
    loaders: dict[bytes, bytes] = field(default_factory=dict)
    divergence: Divergence | None = None
    divergence_rule: str = ""
    divergences: int = 0
    mismatches: int = 0
    forced: int = 0
    live: list[tuple[str, bytes]] = field(default_factory=list)
    hidden: dict[bytes, int] = field(default_factory=dict)
    gone: list[bytes] = field(default_factory=list)
    difference: Difference | None = None
    problems: list[str] = field(default_factory=list)

    @classmethod
    def decode(cls, data: bytes) -> "Report":
        """Read what rex-engine wrote: key=value records, each ended by NUL."""
        report = cls()
        program = b""
        for item in data.split(b"\0")[:-1]:
            key, _, value = item.partition(b"=")
            if key == b"use":                     # most of it
                how, inode, size, seconds, nanoseconds, path = value.split(b" ", 5)
                report.uses[path] = FileUse(int(how), int(inode), int(size), int(seconds) * 10**9 + int(nanoseconds))
                continue
            name = key.decode("ascii", "replace")
            if name in ("status", "events", "duration_ns", "divergences", "mismatches", "forced"):
                setattr(report, name, int(value))
            elif name == "touched":
                state, _, path = value.partition(b" ")
                report.touched[path] = int(state)
            elif name == "hidden":
                how, _, path = value.partition(b" ")
                report.hidden[path] = int(how)
            elif name == "alias":
                report.aliases.append(value)
            elif name == "live":
                kind, _, what = value.partition(b"\t")
                report.live.append((kind.decode("ascii", "replace"), what))
            elif name == "gone":
                report.gone.append(value)
            elif name == "program":
                program = value
            elif name == "loader":
                report.loaders[program] = value
            elif name == "divergence_rule":
                report.divergence_rule = rule_text(value.decode("ascii", "replace"))
            elif name == "divergence":
                event, task, may_race, why, asked, logged = value.decode("utf-8", "replace").split("\t", 5)
                report.divergence = Divergence(int(event), int(task), may_race == "1", why, asked, logged)
            elif name == "output_differs":
                event, stream, may_race = value.decode("ascii", "replace").split("\t")
                report.difference = Difference(int(event), int(stream), may_race == "1")
            else:
                report.problems.append(f"{name}: {value.decode('utf-8', 'replace')}")
        return report
