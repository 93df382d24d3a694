"""Record an experiment: run it under a tracer, keep everything it used."""

from __future__ import annotations

import os
import pwd
import resource
import stat
import time
from contextlib import closing
from typing import Any, BinaryIO, Callable, Iterable, cast

from rex import __version__, codec, elf
from rex.archive import Archive, Experiment, Manifest, Process, Recording
from rex.archive.identities import Identities
from rex.archive.logs import LogKeeper
from rex.archive.unpacked import cache_root
from rex.beside import Beside
from rex.errors import CommandNotFound, NotExecutable, OwnFailure, UsageError
from rex.filetree import FileTree
from rex.keeping import CaptureService, Keeper
from rex.tracer import NATIVE, Plan, choose
from rex.tracer.plan import DEVNULL, RECORD
from rex.types import names_secret
from rex.values import dataclass, field, replace

Streams = tuple[int, int, int]   # descriptors of standard input, output and error, or DEVNULL


@dataclass
class Options:
    """What the user asked of a recording.

    Attributes:
        keep_env: names or patterns of variables to keep though they look like credentials.
        drop_env: patterns of variables to leave out.
        exclude: patterns of files whose bytes are to be left out.
        seed: of the randomness that the program gets; None leaves it to the kernel.
        complete: what adds to the manifest, after the run, before the experiment is complete.
        serialize: run one thread at a time, in an order that replays keep.
    """

    command: list[str]
    archive: str = "__default"
    name: str | None = None
    keep_env: tuple[str, ...] = ()
    drop_env: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    seed: int | None = None
    complete: Callable[[Manifest, Recording], Manifest] | None = None
    serialize: bool = False


@dataclass
class Outcome:
    """A finished recording.

    Attributes:
        manifest: the experiment's, as it was written: reading it takes a while where there are many files.
    """

    experiment: Experiment
    manifest: Manifest
    archive: str
    status: int                    # wait status of the program
    stored_bytes: int
    warnings: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)   # files that the user wanted left out


def _which(command: str) -> str | None:
    """As shutil's, which takes longer to import than all else here takes."""
    for place in [""] if "/" in command else os.get_exec_path():
        path = os.path.join(place, command)
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return None


def find_program(command: str) -> str:
    """The path that a shell would execute for a command.

    Raises:
        CommandNotFound, NotExecutable: with a shell's exit codes 127 and 126.
        Unsupported: it is a 32-bit program.
    """
    found = _which(command)
    if found:
        if not elf.is_elf(found) and not elf.script_line(found):
            raise NotExecutable(f"cannot run {command}", "neither a program nor a script with #!",
                                f"try: rex record -- sh {command}")
        elf.read(found)   # refuses 32-bit programs
        return found
    if "/" in command and os.path.exists(command):
        why = "it is a directory" if os.path.isdir(command) else "permission denied"
        raise NotExecutable(f"cannot run {command}", why, f"try: chmod +x {command}")
    raise CommandNotFound(f"no such program: {command}", "",
                          "check the spelling, or give its path")


def withheld_names(names: Iterable[str], keep: tuple[str, ...] = (), drop: tuple[str, ...] = ()) -> list[str]:
    """The variables among these that the archive will not hold."""
    def any_match(name: str, patterns: tuple[str, ...]) -> bool:
        if not patterns:
            return False
        import fnmatch   # few ask
        return any(fnmatch.fnmatchcase(name.upper(), p.upper()) for p in patterns)

    return sorted(name for name in names
                  if (names_secret(name) and not any_match(name, keep)) or any_match(name, drop))


def _libc() -> str:
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").replace(" ", "-")
    except ValueError:
        return ""                  # of another C library


def _machine() -> dict[str, Any]:
    info = os.uname()
    model = ""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            model = next((line.split(":", 1)[1].strip() for line in file
                          if line.startswith("model name")), "")
    except OSError:
        pass
    return {"system": info.sysname, "kernel": info.release, "arch": info.machine,
            "cpu": model, "cpus": len(os.sched_getaffinity(0)), "libc": _libc()}


def _terminal(streams: Streams) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    for fd, name in zip(streams, ("stdin", "stdout", "stderr")):
        if fd == DEVNULL:
            facts[name] = "device"
            continue
        try:
            mode = os.fstat(fd).st_mode
        except OSError:
            facts[name] = "closed"
            continue
        facts[name] = ("terminal" if os.isatty(fd) else "file" if stat.S_ISREG(mode) else
                       "pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device")
        if facts[name] == "terminal" and "columns" not in facts:
            facts["columns"], facts["lines"] = os.get_terminal_size(fd)
    return facts


def _limits() -> dict[str, tuple[int, ...]]:
    return {name[7:].lower(): resource.getrlimit(getattr(resource, name))
            for name in sorted(dir(resource)) if name.startswith("RLIMIT_")}


def _user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def standard_input(recording: Recording, keeper: Keeper, fd: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
    """A plain file on standard input is an input like any other: attachments, facts."""
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode) or keeper.leaves_out(codec.text(os.readlink(b"/proc/self/fd/%d" % fd))):
            return {}, {}
        return {"stdin": recording.add_file(fd)}, {"offset": os.lseek(fd, 0, os.SEEK_CUR)}
    except OSError:
        return {}, {}


def begun_facts(command: list[str], cwd: str) -> dict[str, Any]:
    """What is known of an experiment as it begins."""
    return {"command": command, "cwd": cwd, "user": _user(), "host": os.uname().nodename,
            "start_ns": time.time_ns()}


def new_manifest(facts: dict[str, Any], environment: dict[str, str], withheld: list[str],
                 engine_name: str, streams: Streams = (0, 1, 2)) -> Manifest:
    """The manifest of an experiment that is about to run here with these standard streams."""
    return Manifest(
        command=tuple(facts["command"]), cwd=facts["cwd"], environment=environment,
        withheld=tuple(withheld), user=facts["user"], host=facts["host"], limits=_limits(),
        terminal=_terminal(streams), machine=_machine(), engine=engine_name, rex=__version__,
        start_ns=facts["start_ns"])


def _read_processes(log: LogKeeper) -> tuple[list[Process], list[str]]:
    from rex import inventory   # it is only now that there is time
    return inventory.read_processes(cast(BinaryIO, log.growing()))


def record(options: Options) -> Outcome:
    """Run a command and add it to an archive.

    The program has our standard streams, and its signals, as if Rex were not there.

    Raises:
        CommandNotFound, NotExecutable: nothing was run and nothing recorded.
        RexError: Rex itself failed; the experiment is then incomplete in the archive.
    """
    program = find_program(options.command[0])
    engine_name, engine = choose()
    if options.serialize and engine_name != NATIVE:
        raise UsageError("--serialize needs the native engine", f"this is the {engine_name} one",
                         "leave --serialize out, or see: rex doctor")
    archive = Archive.create(options.archive)
    withheld = withheld_names(os.environ, options.keep_env, options.drop_env)
    command = [codec.text(os.fsencode(word)) for word in options.command]
    facts = begun_facts(command, codec.text(os.getcwdb()))
    identities = Identities(cache_root())
    with archive.begin(options.name, facts) as recording, closing(identities):
        keeper = Keeper(recording, options.exclude, identities, facts["cwd"])
        environment = {codec.text(k): codec.text(v) for k, v in os.environb.items()
                       if os.fsdecode(k) not in withheld}
        attachments, stdin_facts = standard_input(recording, keeper)
        manifest = replace(
            new_manifest(facts, environment, withheld, engine_name), umask=_umask(), attachments=attachments,
            extra={"record": {"program": codec.text(os.fsencode(program)), "stdin": stdin_facts,
                              "serialized": options.serialize}})
        with CaptureService(keeper) as service, open(os.memfd_create("rex-report"), "rb") as told:
            plan = Plan(RECORD, recording.log_path, os.fsencode(program),
                        [os.fsencode(a) for a in options.command],
                        [k + b"=" + v for k, v in os.environb.items()],
                        report=f"/proc/{os.getpid()}/fd/{told.fileno()}", control=service.theirs, hints=service.hints,
                        withhold=[os.fsencode(name) for name in withheld], seed=options.seed,
                        serialize=options.serialize)
            log = recording.follow_log(command)
            processes = Beside(lambda: _read_processes(log))
            report = engine(plan)
            log.end()
        if service.failure:
            raise OwnFailure("a file could not be kept before it changed",
                             str(service.failure), "free some space and record again")
        from rex import inventory
        manifest = inventory.complete(manifest, FileTree(keeper, service), report, processes.result)
        if options.complete:
            manifest = options.complete(manifest, recording)
        experiment = recording.finish(manifest, service.inputs)
        return Outcome(experiment, manifest, options.archive, report.status,
                       recording.stored_bytes + experiment.folder_bytes(),
                       list(manifest.warnings), sorted(keeper.excluded))
