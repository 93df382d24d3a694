"""Record an experiment: run it under a tracer, keep everything it used."""

from __future__ import annotations

import os
import pwd
import stat
import time
from contextlib import closing, suppress

from rex import codec, elf, rlimits
from rex.archive import Archive, Experiment, Manifest, Process, Recording
from rex.archive.topfiles import check_is_name
from rex.archive.identities import Identities
from rex.archive.logkeeper import Growing
from rex.cacheplace import cache_root, make_cache
from rex.background import BackgroundCall
from rex.credentials import credential_variables
from rex.errors import CommandNotFound, NotExecutable, OwnFailure, UsageError
from rex.filetree import FileTree
from rex.hints import TYPE_CHECKING, Any, BinaryIO, Callable, Mapping, cast
from rex.hostfailure import advice
from rex.keeping import CaptureService, Keeper
from rex.standard import is_closed
from rex.text import quoted
from rex.tracer import NATIVE, Plan, Report, choose, slow_engine_note
from rex.tracer.hidden import hidden_names
from rex.tracer.plan import DEVNULL, HIDDEN_LISTED, RECORD
from rex.values import dataclass, field, replace
from rex.version import __version__

if TYPE_CHECKING:
    from rex.redaction import Redaction
    from rex.tracer.choose import Engine

Told = tuple[list[Process], list[str]]   # of a log: its processes, and notes of who recorded
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
        redact: keep placeholders instead of the credentials in the command's arguments.
        environment: the program's variables; None: ours.
        cwd: where it runs; None: where we are.
        streams: descriptors of its standard streams, or DEVNULL.
        extra: more facts for the manifest.
        watch: reads the log while it grows, in a thread of its own; None: nobody does.
        ended: is called when the program has ended; what is left to keep may last.
        gate: a socket to who says what is executed in a program's place; -1: nobody.
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
    redact: bool = False
    environment: dict[bytes, bytes] | None = None
    cwd: bytes | None = None
    streams: Streams = (0, 1, 2)
    extra: dict[str, Any] = field(default_factory=dict)
    gate: int = -1
    watch: Callable[[Growing], None] | None = None
    ended: Callable[[Recording], None] | None = None


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
    hidden: list[str] = field(default_factory=list)     # directories of ours that listings of the program lack


def _which(command: str, cwd: str, places: list[str]) -> str | None:
    """As shutil's, which takes longer to import than all else here takes."""
    for place in [""] if "/" in command else places:
        path = os.path.join(cwd, place, command)
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            return path
    return None


def find_program(command: str, cwd: str = "", places: list[str] | None = None) -> str:
    """The path that a shell would execute for a command.

    Args:
        cwd: where the command is given; "": here.
        places: the directories of PATH; None: of ours.
    Raises:
        CommandNotFound, NotExecutable: with a shell's exit codes 127 and 126.
        Unsupported: it is a 32-bit program.
    """
    found = _which(command, cwd, os.get_exec_path() if places is None else places)
    if found:
        if not os.access(found, os.R_OK):
            raise NotExecutable(f"cannot record {command}", "it may be executed but not read, so that it cannot be kept",
                                f"try: chmod +r {found}")
        if not elf.is_elf(found) and not elf.script_line(found):
            raise NotExecutable(f"cannot run {command}", "neither a program nor a script with #!",
                                f"try: rex record -- sh {quoted(command)}")
        elf.read(found)   # refuses 32-bit programs
        return found
    if "/" in command and os.path.exists(os.path.join(cwd, command)):
        why = "it is a directory" if os.path.isdir(os.path.join(cwd, command)) else "permission denied"
        raise NotExecutable(f"cannot run {command}", why, f"try: chmod +x {quoted(command)}")
    raise CommandNotFound(f"no such program: {command}", "",
                          "check the spelling, or give its path")


def _decoded(variables: Mapping[bytes, bytes]) -> dict[str, str]:
    return {os.fsdecode(name): os.fsdecode(value) for name, value in variables.items()}


def withheld_names(variables: Mapping[str, str], keep: tuple[str, ...] = (), drop: tuple[str, ...] = ()) -> list[str]:
    """The variables among these that the archive will not hold: those that look like credentials, by name or by value."""
    def any_match(name: str, patterns: tuple[str, ...]) -> bool:
        if not patterns:
            return False
        import fnmatch   # few ask
        return any(fnmatch.fnmatchcase(name.upper(), p.upper()) for p in patterns)

    secret = credential_variables(variables)
    return sorted(name for name in variables if (name in secret and not any_match(name, keep)) or any_match(name, drop))


def _libc() -> str:
    try:
        return (os.confstr("CS_GNU_LIBC_VERSION") or "").replace(" ", "-")
    except ValueError:
        return ""                  # of another C library


def machine_facts() -> dict[str, Any]:
    """What a manifest says about this machine."""
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
        if is_closed(fd):
            facts[name] = "closed"
            continue
        mode = os.fstat(fd).st_mode
        facts[name] = ("terminal" if os.isatty(fd) else "file" if stat.S_ISREG(mode) else
                       "pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device")
        if facts[name] == "terminal" and "columns" not in facts:
            facts["columns"], facts["lines"] = os.get_terminal_size(fd)
    return facts


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
        withheld=tuple(withheld), user=facts["user"], host=facts["host"], limits=dict(rlimits.inherited()),
        terminal=_terminal(streams), machine=machine_facts(), engine=engine_name, rex=__version__,
        start_ns=facts["start_ns"])


def inherited(streams: Streams) -> list[int | None]:
    """Streams as engines take them: None for those that are ours."""
    return [None if fd == number else fd for number, fd in enumerate(streams)]


def _read_processes(log: str | BinaryIO) -> Told:
    from rex import inventory   # it is only now that there is time
    return inventory.read_processes(log)


def _run(engine: Engine, plan: Plan, options: Options, recording: Recording,
         redaction: Redaction | None) -> tuple[Report, Callable[[], Told]]:
    """Run a plan; the engine's report, and the facts of the processes, read beside the run."""
    if redaction:
        return _run_redacted(engine, plan, options.streams, recording, redaction)
    log = recording.follow_log([codec.text(word) for word in plan.args])
    processes = BackgroundCall(lambda: _read_processes(cast(BinaryIO, log.growing())))
    watch = options.watch
    watching = BackgroundCall(lambda: watch(log.growing())) if watch else None
    report = engine(plan, *inherited(options.streams))
    log.end()
    if watching:
        watching.wait()
    return report, processes.result


def _run_redacted(engine: Engine, plan: Plan, streams: Streams, recording: Recording,
                  redaction: Redaction) -> tuple[Report, Callable[[], Told]]:
    """As `_run`, with a log that gets a name when no credential of the command is in it any more."""
    from rex.redaction import nameless_file
    fd = nameless_file(recording.directory)
    try:
        report = engine(replace(plan, log=f"/proc/{os.getpid()}/fd/{fd}"), *inherited(streams))
        redaction.copy(fd, recording.log_path)
    finally:
        os.close(fd)
    return report, lambda: _read_processes(recording.log_path)


def _hidden(archive: Archive, facts: dict[str, Any], program: str, reuses: bool) -> list[bytes]:
    """What the program is not to have: the archive and, unless outputs of reused steps are put back from there, the cache."""
    hidden = [archive.path]
    if not reuses:
        hidden.append(cache_root())
        with suppress(OwnFailure):             # a recording can do without
            make_cache(hidden[-1])
    return hidden_names(map(os.fsencode, hidden), (codec.raw(facts["cwd"]), os.fsencode(program)))


def record(options: Options) -> Outcome:
    """Run a command and add it to an archive.

    The program has our standard streams unless others are given, and its signals, as if Rex were not there.

    Raises:
        CommandNotFound, NotExecutable: nothing was run and nothing recorded.
        RexError: Rex itself failed; the experiment is then incomplete in the archive.
    """
    with rlimits.lifted():
        rlimits.check_room()
        rlimits.spare_space()
        return _record(options)


def _record(options: Options) -> Outcome:
    given = dict(os.environb) if options.environment is None else options.environment
    places = None if options.environment is None else os.get_exec_path(_decoded(given))
    program = find_program(options.command[0], os.fsdecode(options.cwd or b""), places)
    engine_name, engine = choose()
    if options.serialize and engine_name != NATIVE:
        raise UsageError("--serialize needs the native engine", f"this is the {engine_name} one",
                         "leave --serialize out, or see: rex doctor")
    check_is_name(options.name)
    withheld = withheld_names(_decoded(given), options.keep_env, options.drop_env)
    command = [codec.text(os.fsencode(word)) for word in options.command]
    redaction = None
    if options.redact:
        from rex.redaction import Redaction   # few ask
        redaction = Redaction(command)
        command = redaction.command
    facts = begun_facts(command, codec.text(options.cwd or os.getcwdb()))
    identities = Identities(cache_root())
    with Archive.made(options.archive, is_durable=False) as archive, archive.begin(options.name, facts) as recording, closing(identities):
        keeper = Keeper(recording, options.exclude, identities, facts["cwd"])
        environment = {codec.text(k): codec.text(v) for k, v in given.items()
                       if os.fsdecode(k) not in withheld}
        if redaction:
            environment = redaction.apply_to(environment)
        attachments, stdin_facts = standard_input(recording, keeper, options.streams[0])
        manifest = replace(
            new_manifest(facts, environment, withheld, engine_name, options.streams), umask=_umask(), attachments=attachments,
            extra={"record": {"program": codec.text(os.fsencode(program)), "stdin": stdin_facts,
                              "serialized": options.serialize,
                              **({"redacted": redaction.arguments} if redaction else {})}, **options.extra})
        with CaptureService(keeper) as service, open(os.memfd_create("rex-report"), "rb") as told:
            plan = Plan(RECORD, recording.log_path, os.fsencode(program),
                        [os.fsencode(a) for a in options.command],
                        [k + b"=" + v for k, v in given.items()],
                        report=f"/proc/{os.getpid()}/fd/{told.fileno()}", control=service.theirs, hints=service.hints,
                        withhold=[os.fsencode(name) for name in withheld], seed=options.seed,
                        serialize=options.serialize, watched=options.watch is not None, cwd=options.cwd, limits=rlimits.by_number(rlimits.inherited()),
                        hidden=_hidden(archive, facts, program, options.gate >= 0), gate=options.gate)
            report, processes = _run(engine, plan, options, recording, redaction)
            if options.ended:
                options.ended(recording)
        if service.failure:
            raise OwnFailure("a file could not be kept before it changed",
                             str(service.failure), f"{advice(getattr(service.failure, 'errno', None)) or 'look at it'}, and record again")
        from rex import inventory
        manifest = inventory.complete(manifest, FileTree(keeper, service), report, processes)
        if options.complete:
            manifest = options.complete(manifest, recording)
        if os.fsencode(os.path.realpath(archive.path)) not in plan.hidden:
            manifest = replace(manifest, warnings=(*manifest.warnings, "the program began in the archive, which it can see and change"))
        experiment = recording.finish(manifest, service.inputs)
        return Outcome(experiment, manifest, options.archive, report.status,
                       recording.stored_bytes + experiment.folder_bytes(),
                       [*manifest.warnings, *filter(None, [slow_engine_note()])], sorted(keeper.excluded),
                       [codec.text(path) for path, how in report.hidden.items() if how == HIDDEN_LISTED])
