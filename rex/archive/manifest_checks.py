"""The values of a manifest from anywhere: those who use it meet none that a recorder could not have written."""

from __future__ import annotations

from rex.archive.content import check_content
from rex.archive.jsonform import builder
from rex.hints import Any, Iterable
from rex.values import dataclass, field

TYPES = frozenset(("file", "dir", "symlink", "fifo", "other"))
_MAX_SIZE, _MAX_ID, _MAX_S = 1 << 63, 1 << 32, 1e12
_MAX_TIME_NS = 10**9 << 63   # a file system may keep seconds in 64 bits


@dataclass(frozen=True)
class StdinFacts:
    """Where standard input, a plain file, was read from on."""

    offset: int = 0


@dataclass(frozen=True)
class RecordFacts:
    """What `extra.record` may say: facts of the recording that a replay uses.

    Attributes:
        program: the path of the program.
        loaders: of programs that were executed: the loader of each.
        serialized: whether one thread ran at a time.
        excluded: files that the user kept out.
        redacted: numbers of the arguments that have placeholders instead of credentials.
    """

    program: str = ""
    loaders: dict[str, str] = field(default_factory=dict)
    stdin: StdinFacts = field(default_factory=StdinFacts)
    serialized: bool = False
    excluded: tuple[str, ...] = ()
    redacted: tuple[int, ...] = ()


def check_manifest(manifest: Any) -> None:
    """Make sure that the values of a `rex.archive.manifest.Manifest` can be used.

    Raises:
        ValueError, TypeError: one cannot.
    """
    _need(bool(manifest.command), "the command is empty")
    _need(is_plain_path(manifest.cwd), f"the working directory is no absolute, plain path: {manifest.cwd!r:.200}")
    _need(not any("=" in name for name in manifest.environment), "a variable's name has an equals sign")
    check_numbers(manifest.start_ns, manifest.duration_s, manifest.exit_status)
    _need(0 <= manifest.umask <= 0o777, "a number is out of its range")
    _need(all(len(pair) == 2 for pair in manifest.limits.values()), "a resource limit is no pair")
    _need(all(count >= 0 for count in manifest.counts.values()), "a count is negative")
    _check_processes(manifest.processes)
    for path, entry in manifest.files.items():
        _need(is_plain_path(path), f"not an absolute, plain path: {path!r:.200}")
        _check_entry(entry)
    for content in manifest.attachments.values():
        check_content(content)
    log = manifest.log
    for content in log.contents() if log else ():
        check_content(content)
    if log and not log.is_packed and not log.is_apart:
        _need((log.content.sha256, log.content.size) == (log.sha256, log.size), "the log is another content")
    _need(all(isinstance(facts, dict) for facts in manifest.extra.values()), "extra facts are no object")
    record: RecordFacts = builder(RecordFacts)(manifest.extra.get("record", {}))
    _need(0 <= record.stdin.offset < _MAX_SIZE, "the offset of standard input is out of its range")


def check_numbers(start_ns: int, duration_s: float | None, exit_status: int | None) -> None:
    """Make sure that the numbers of an experiment that lists show can be used; raises ValueError."""
    _need(0 <= start_ns < _MAX_SIZE and _is_time(duration_s) and _is_status(exit_status), "a number is out of its range")


def _need(is_right: bool, why: str) -> None:
    if not is_right:
        raise ValueError(why)


def _is_time(seconds: float | None) -> bool:
    return seconds is None or 0 <= seconds <= _MAX_S


def _is_status(status: int | None) -> bool:
    return status is None or -128 <= status <= 255


def _check_entry(entry: Any) -> None:
    if entry.initial:
        _check_state(entry.initial)
    if entry.final and entry.final is not entry.initial:
        _check_state(entry.final)


def _check_state(state: Any) -> None:
    if state.content:
        check_content(state.content)
    _need(state.type in TYPES, f"a file is of the type {state.type!r:.60}")
    _need(0 <= state.mode <= 0o7777 and 0 <= state.uid < _MAX_ID and 0 <= state.gid < _MAX_ID, "a mode or an owner is out of its range")
    _need(0 <= state.size < _MAX_SIZE and -_MAX_TIME_NS <= state.mtime_ns < _MAX_TIME_NS, "a size or a time is out of its range")
    _need(not state.link_of or is_plain_path(state.link_of), f"not an absolute, plain path: {state.link_of!r:.200}")
    _need(bool(state.target) == (state.type == "symlink"), "what is no link has a target, or a link has none")
    if state.xattrs:
        import base64   # few have any
        for value in state.xattrs.values():
            base64.b64decode(value, validate=True)   # its error is a ValueError


def _check_processes(processes: Iterable[Any]) -> None:
    """Each task once, and none its own ancestor."""
    parents = {}
    for process in processes:
        _need(process.task not in parents, f"two processes are task {process.task}")
        _need(0 <= process.task < _MAX_ID and 0 <= process.ordinal, "a task is out of its range")
        _need(all(map(_is_time, (process.start_s, process.end_s, process.cpu_s))), "a process has a time out of its range")
        _need(_is_status(process.exit_status), "a process has an exit status out of its range")
        parents[process.task] = process.parent
    ends: set[int | None] = {None}     # tasks whose ancestors are known to end
    for task in parents:
        way: list[int] = []
        here: int | None = task
        while here not in ends and here in parents:
            ends.add(here)
            way.append(here)
            here = parents[here]
        _need(here not in way, f"task {here} is its own ancestor")


def is_plain_path(path: str) -> bool:
    """Whether a path is absolute and free of NUL, empty parts, `.` and `..`."""
    parts = path.split("/")
    return path == "/" or (path.startswith("/") and "\0" not in path
                           and not any(part in ("", ".", "..") for part in parts[1:]))
