"""What an experiment consisted of: from a tracer's report and the log to a manifest."""

from __future__ import annotations

import os

from rex import codec
from rex.archive import (APPARATUS, INPUT, OUTPUT, FileEntry, FileState, Manifest,
                         Process)
from rex.background import map_beside
from rex.disclosure import commands_of, warnings_of
from rex.errors import RexError
from rex.filetree import FileTree
from rex.hints import BinaryIO, Callable, Iterable
from rex.log import LogReader
from rex.log.records import ARGV, EXIT, IN, NOTE, RESOLVED, TASK, TEXT
from rex.syscalls.numbers import NUMBERS
from rex.tracer import Report
from rex.tracer.plan import CREATED, HIDDEN_NAMED, LINKED, LOADER, PROGRAM, READ, SAME, SCRIPT, WRITTEN, FileUse
from rex.values import dataclass, field, replace

_EXECS = (NUMBERS["execve"], NUMBERS["execveat"])
_CLONE_THREAD = 0x00010000
_EXECUTED = PROGRAM | LOADER | SCRIPT
_MAX_LINKS = 40
Told = tuple[list[Process], list[str]]   # of a log: its processes, and notes of who recorded


@dataclass
class _Files:
    """Entries in the making."""

    tree: FileTree
    initial: dict[str, FileState] = field(default_factory=dict)
    seen: dict[str, FileState] = field(default_factory=dict)   # kept when they were first read
    final: dict[str, FileState] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


def unknown_requests(problems: list[str]) -> list[str]:
    """A warning for the ioctl requests to the outside that the table does not have."""
    numbers = [what for kind, _, what in (problem.partition(": ") for problem in problems) if kind == "unknown_ioctl"]
    return [f"ioctl {', '.join(numbers)}: what these requests store is known by their numbers only, a replay may lack the rest"] if numbers else []


def hidden_notes(hidden: dict[bytes, int]) -> list[str]:
    """A warning for each of our own directories that the program looked for."""
    return [f"{codec.text(path)} is Rex's own and hidden from the program, whose calls there failed"
            for path, how in sorted(hidden.items()) if how == HIDDEN_NAMED]


def complete(manifest: Manifest, tree: FileTree, report: Report, read: Callable[[], Told]) -> Manifest:
    """The manifest with files, processes and counts, after the run.

    Args:
        tree: what the experiment saw.
        read: what `read_processes` found in the log.
    """
    uses = {codec.text(path): use for path, use in report.uses.items()}
    touched = {codec.text(path): state for path, state in report.touched.items()}
    aliases = [codec.text(path) for path in report.aliases]
    made = {path for path, state in touched.items() if state == CREATED}
    # what is below a directory that moves was kept with it, also what the experiment had made there
    files = _Files(tree, {path: state for path, state in tree.captured.items() if not _is_below(path, made)}, tree.seen)
    inputs = _plain_inputs(files, uses, touched, made)
    if inputs:
        uses = {path: use for path, use in uses.items() if path not in inputs}
    _capture_finals(files, touched, uses)
    _capture_unchanged(files, uses, touched)
    libraries = _capture_unloaded(files, uses, manifest.environment)
    _add_links(files, aliases)
    _add_directories(files, inputs)
    processes, notes = read()
    extra = {**manifest.extra, "record": {
        **manifest.extra.get("record", {}),
        "loaders": {codec.text(p): codec.text(l) for p, l in report.loaders.items()},
        **({"excluded": sorted(tree.excluded)} if tree.excluded else {})}}
    notes = notes + unknown_requests(report.problems) + hidden_notes(report.hidden)
    entries = {**inputs, **_link(tree, _entries(files, uses, touched, libraries), uses)}
    return replace(
        manifest, files={path: entries[path] for path in sorted(entries)}, processes=tuple(processes), extra=extra,
        warnings=tuple(notes + files.warnings + warnings_of(commands_of(manifest.command, processes), entries.items(), tree.peek)),
        duration_s=report.duration_ns / 1e9,
        exit_status=os.waitstatus_to_exitcode(report.status),
        counts={"events": report.events, "processes": len(processes),
                "files": sum(1 for e in entries.values() if (e.initial or e.final).type == "file")})


def _capture(files: _Files, path: str) -> FileState | None:
    try:
        return files.tree.capture(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        files.warnings.append(f"{path} could not be kept: {error.strerror}")
        return None


def _capture_many(files: _Files, paths: Iterable[str]) -> dict[str, FileState]:
    wanted = sorted(paths)
    found = map_beside(lambda path: _capture(files, path), wanted)   # hashing and zstd leave the GIL free
    return {path: state for path, state in zip(wanted, found) if state}


def _plain_inputs(files: _Files, uses: dict[str, FileUse], touched: dict[str, int], created: set[str]) -> dict[str, FileEntry]:
    """Entries of files of one name that were read and nothing else, made beside the run: mostly nearly all."""
    found = {}
    for path, use in uses.items():
        if use.how == READ | SAME and (made := files.tree.inputs.get(path)) and (state := made.entry.initial) and (
                use.size == state.size and use.mtime_ns == state.mtime_ns and path not in touched and path not in files.initial):
            found[path] = made.entry
    return {path: entry for path, entry in found.items() if not _is_below(path, created)} if created else found


def _capture_finals(files: _Files, touched: dict[str, int], uses: dict[str, FileUse]) -> None:
    """States after the run of all that it may have changed, below moved directories too."""
    wanted = set(touched) | {path for path, use in uses.items() if use.how & WRITTEN}
    created = {path for path, state in touched.items() if state == CREATED}
    for path in created:
        if not _is_below(os.path.dirname(path), created):
            wanted.update(files.tree.below(path))
    files.final = _capture_many(files, wanted)


def _is_below(path: str, tops: set[str]) -> bool:
    """Whether a path, or a directory that it is in, is one of these."""
    while tops and path:
        if path in tops:
            return True
        path = path[:path.rfind("/")] if "/" in path else ""
    return False


def _capture_unchanged(files: _Files, uses: dict[str, FileUse], touched: dict[str, int]) -> None:
    """Files that were only read are still as they were; unless somebody else changed them."""
    created = {path for path, state in touched.items() if state == CREATED}
    states: dict[str, FileState] = {}
    unseen = []
    for path in uses:
        if path in files.initial or created and _is_below(path, created) or path.endswith(" (deleted)"):
            continue
        if state := files.seen.get(path):
            states[path] = state
        else:
            unseen.append(path)
    found = _capture_many(files, unseen)
    states.update(found)
    for path, state in states.items():
        use = uses[path]
        if state.type == "file" and not use.how & WRITTEN and (
                use.inode and (use.size, use.mtime_ns) != (state.size, state.mtime_ns)
                or not use.how & SAME and path in files.seen and _is_other_now(files.tree, path, state)):
            files.warnings.append(f"{path} was changed by somebody else during the experiment")
    for path in unseen:
        if path not in found:
            files.warnings.append(f"{path} was gone before it could be kept")
    files.initial.update(states)


def _is_other_now(tree: FileTree, path: str, state: FileState) -> bool:
    info = tree.info(path)
    return not info or (info.st_size, info.st_mtime_ns) != (state.size, state.mtime_ns)


def _capture_unloaded(files: _Files, uses: dict[str, FileUse],
                      environment: dict[str, str]) -> set[str]:
    """Libraries that the binaries name but did not load, for experiments still to come."""
    found: set[str] = set()
    for path, use in uses.items():
        if use.how & PROGRAM and path in files.initial:
            try:
                found.update(files.tree.needed(path, environment))
            except (RexError, OSError):
                continue
    found -= set(files.initial)
    files.initial.update(_capture_many(files, found))
    return found


def _add_links(files: _Files, aliases: list[str]) -> None:
    """The symbolic links on the way of every name that was not the file's own."""
    for alias in aliases:
        path, left = "/", [part for part in alias.split("/") if part not in ("", ".")]
        for _ in range(_MAX_LINKS * 8):
            if not left:
                break
            part = left.pop(0)
            if part == "..":
                path = os.path.dirname(path)
                continue
            here = os.path.join(path, part)
            if not files.tree.is_link(here):
                path = here
                continue
            state = files.initial.get(here) or _capture(files, here)
            if not state:
                break
            if here not in files.final:
                files.initial.setdefault(here, state)
            if state.target.startswith("/"):
                path = "/"
            left = [p for p in state.target.split("/") if p not in ("", ".")] + left


def _add_directories(files: _Files, inputs: Iterable[str]) -> None:
    """The structure: every directory on the way to a file."""
    for parent in {path.rpartition("/")[0] or "/" for path in (*files.initial, *files.final, *inputs)}:
        while parent not in files.initial:
            if parent in files.final:
                break
            state = _capture(files, parent)
            if not state or state.type != "dir":
                break
            files.initial[parent] = state
            parent = os.path.dirname(parent)


def _entries(files: _Files, uses: dict[str, FileUse], touched: dict[str, int],
             libraries: set[str]) -> dict[str, FileEntry]:
    entries = {}
    for path in sorted(set(files.initial) | set(files.final)):
        initial, final = files.initial.get(path), files.final.get(path)
        use = uses.get(path)
        how = use.how if use else 0
        is_changed = (path in touched or path in files.final) and initial != final
        facts = None
        roles = []
        if initial and initial.type == "file" and not is_changed:
            facts = files.tree.elf(path, initial)
        if how & _EXECUTED or path in libraries or facts:
            roles.append(APPARATUS)
        elif initial and initial.type == "file" and how & READ:
            roles.append(INPUT)
        if is_changed and final:
            roles.append(OUTPUT)
        entries[path] = FileEntry(initial, final if is_changed else initial, is_changed,
                                  tuple(roles), facts)
    return entries


def _link(tree: FileTree, entries: dict[str, FileEntry], uses: dict[str, FileUse]) -> dict[str, FileEntry]:
    """Note which names of unchanged files are one file: the first name in order has the bytes."""
    first: dict[tuple[int, int], str] = {}
    for path, entry in entries.items():
        state = entry.initial
        if entry.is_changed or not state or state.type != "file" or not state.content:
            continue
        if path in uses and uses[path].how & (SAME | LINKED) == SAME:
            continue                  # it has no other name
        info = tree.info(path)
        if not info:
            continue
        one = first.setdefault((info.st_dev, info.st_ino), path) if info.st_nlink > 1 else path
        if one != path and entries[one].initial == state:
            linked = replace(state, link_of=one)
            entries[path] = replace(entry, initial=linked, final=linked)
    return entries


def read_processes(log: str | BinaryIO) -> Told:
    """The process tree of a log, threads left out, and what the recorder had to tell."""
    processes: dict[int, Process] = {}
    leaders: dict[int, int] = {}               # of threads: the process that they are of
    children_s: dict[int | None, float] = {}   # by process: what its children have used that ended
    notes: list[str] = []
    with LogReader(log) as reader:
        for event in reader.select({TASK, EXIT, NOTE, *_EXECS}):
            if event.call == TASK:
                if event.args[2] & _CLONE_THREAD:
                    leaders[event.task] = leaders.get(event.args[0], event.args[0])
                    continue
                parent = event.args[0] if event.args[0] != 0xFFFFFFFF else None
                inherited = processes.get(parent) if parent is not None else None
                processes[event.task] = Process(
                    event.task, parent, event.args[1], inherited.command if inherited else (),
                    inherited.executable if inherited else "", event.time_ns / 1e9)
            elif event.call == NOTE:
                notes.append((event.data(TEXT) or b"").decode("utf-8", "replace"))
            elif event.call == EXIT and event.task in processes:
                process = processes[event.task]
                used_s = (event.args[0] + event.args[1]) / 1e6   # with the children that it waited for
                above = leaders.get(process.parent, process.parent) if process.parent is not None else None
                children_s[above] = children_s.get(above, 0.0) + used_s
                processes[event.task] = replace(
                    process, end_s=event.time_ns / 1e9, exit_status=os.waitstatus_to_exitcode(event.result & 0xFFFF),
                    cpu_s=round(max(0.0, used_s - children_s.get(event.task, 0.0)), 6))
            elif event.call in _EXECS and event.result == 0 and event.task in processes:
                argv = (event.data(ARGV) or b"").split(b"\0")[:-1]
                processes[event.task] = replace(
                    processes[event.task], command=tuple(codec.text(a) for a in argv),
                    executable=codec.text(event.data(RESOLVED) or event.data(IN) or b""))
    return list(processes.values()), notes
