"""Replay an experiment from its archive: nothing but the archive is read, nothing
but the output directory is written."""

from __future__ import annotations

import contextlib
import os
import stat

from rex import codec, elf, rlimits
from rex.archive import OUTPUT, Archive, Experiment, FileEntry, FileState, Manifest, Unpacked
from rex.archive.trimming import note_use
from rex.archive.unpacked import WorkDirectory
from rex.digest import Sha256
from rex.errors import NotFound, OwnFailure, UsageError
from rex.hints import TYPE_CHECKING, BinaryIO, Iterator, Mapping, Sequence
from rex.hostfailure import advice, refusal, told_by
from rex.longnames import below, reachable
from rex.tracer import NATIVE, Plan, Report, choose
from rex.text import quoted_ref
from rex.tracer.plan import DEVNULL, REPLAY, Difference, Divergence
from rex.values import dataclass, field

if TYPE_CHECKING:
    from rex.explain import Explanation
    from rex.tracer.sandbox import Sandbox

_BLOCK = 1 << 20
_FAILED = {"change_failed": "a change of files could not be made again", "copy_failed": "a file could not be copied",
           "output_failed": "what the program prints could not be written",
           "memory_refused": "reads of the program's memory that the kernel did not allow"}


@dataclass
class Outcome:
    """A replay that ran to its end.

    Attributes:
        status: wait status of the program.
        differing: outputs that differ from the recording, by path: why.
        within: outputs that differ only as the user allowed, by path or name of the stream: the verdict on them.
        difference: the first output that is another one.
        divergence_rule: the rule that acted at the divergence, in words.
        explanation: what the rules did, where that was wanted.
    """

    experiment: Experiment
    outdir: str
    status: int
    divergence: Divergence | None
    divergences: int
    difference: Difference | None
    problems: list[str]
    differing: dict[str, str] = field(default_factory=dict)
    divergence_rule: str = ""
    explanation: "Explanation | None" = None
    within: dict[str, str] = field(default_factory=dict)

    @property
    def is_same_status(self) -> bool:
        """The replay ended with the recorded exit status."""
        return os.waitstatus_to_exitcode(self.status) == self.experiment.manifest.exit_status

    @property
    def is_identical(self) -> bool:
        """Whether output and exit status are those of the recording."""
        return not self.differing and not self.difference and self.is_same_status


def prepare_outdir(path: str) -> str:
    """Make the output directory; its real path.

    Raises:
        UsageError: it holds something already, or cannot be made.
    """
    try:
        os.makedirs(path, exist_ok=True)
        if os.listdir(path):
            raise UsageError(f"the output directory {path} is not empty", "",
                             "choose another with -o, or remove it")
    except (FileExistsError, NotADirectoryError):
        raise UsageError(f"{path} is not a directory", "", "choose another with -o") from None
    except OSError as error:
        raise UsageError(f"cannot make the output directory {path}", error.strerror or "") from error
    return os.path.realpath(path)


class Stage:
    """The files that a replay needs, unpacked from the archive.

    Unpacked objects and prepared programs are kept in the cache and shared by
    all replays; `work` is this replay's own and goes with it.
    """

    def __init__(self, archive: Archive, experiment: Experiment, is_private: bool = False) -> None:
        """Args:
            is_private: give the replay names of its own for its files, in one directory.
        """
        self.manifest: Manifest = experiment.manifest
        self._unpacked = Unpacked(archive)
        self.root = os.path.dirname(self._unpacked.root)
        self._directory = WorkDirectory(self.root)
        self.work = self._directory.path
        self.empty = os.path.join(self.work, "empty")
        os.mkdir(self.empty)
        self.private = os.path.join(self.work, "files") if is_private else None
        if self.private:
            os.mkdir(self.private)
        initial = {path: entry.initial for path, entry in self.manifest.files.items() if entry.initial}
        contents = [s.content for s in initial.values() if s.content]
        contents += list(self.manifest.attachments.values())
        self.objects = self._unpacked.paths(contents)
        self.initial: dict[str, FileState] = initial

    def __enter__(self) -> "Stage":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove what was made for this one run."""
        self._directory.close()
        self._unpacked.close()

    def add(self, entries: Mapping[str, FileEntry]) -> None:
        """Unpack files of other experiments too; those that are here stay."""
        new = {path: entry.initial for path, entry in entries.items() if entry.initial and path not in self.initial}
        self.objects.update(self._unpacked.paths(s.content for s in new.values() if s.content))
        self.initial.update(new)

    def file_of(self, path: str) -> str | None:
        """Where the content of an archived file lies."""
        found = self._object(path)
        return self._named(found) if found else None

    def _object(self, path: str) -> str | None:
        state = self.initial.get(path)
        return self.objects[state.content.sha256] if state and state.content else None

    def _named(self, path: str) -> str:
        """A name for a file of the cache that the replay may see."""
        if self.private is None:
            return path
        directory = os.path.join(self.private, Sha256(path.encode()).hexdigest()[:40])
        name = os.path.join(directory, os.path.basename(path))
        if not os.path.exists(name):
            os.makedirs(directory, exist_ok=True)
            os.link(path, name)
        return name

    def sandbox(self, outdir: str, files: Sequence[str] = ()) -> Sandbox:
        """What a run sees of this machine: its own files, the output directory, these files, and nothing else."""
        from rex.tracer.sandbox import Sandbox   # few ask
        assert self.private
        root = os.path.join(self.work, "root")
        os.makedirs(root, exist_ok=True)
        return Sandbox(root, [self.work, outdir], [self.private, *files])

    def programs(self) -> dict[str, str]:
        """Executed programs, each made to start with its archived loader."""
        found = {}
        for path, loader in self.manifest.extra.get("record", {}).get("loaders", {}).items():
            file, loader_file = self._object(path), self.file_of(loader)
            if file and loader_file:
                found[path] = self._with_loader(path, file, loader_file)
        for path, state in self.initial.items():
            if path not in found and state.type == "file" and state.mode & 0o111:
                file = self.file_of(path)
                if file:
                    found[path] = file
        return found

    def _with_loader(self, path: str, file: str, loader: str) -> str:
        name = Sha256(f"{file}\0{loader}".encode()).hexdigest()[:40]
        directory = os.path.join(self.private or self._unpacked.programs, name)
        made = os.path.join(directory, os.path.basename(path))
        if os.path.exists(made):
            note_use(made, os.stat(made))
            return made
        os.makedirs(directory, mode=0o700, exist_ok=True)
        temporary = os.path.join(directory, f".{os.getpid()}")
        elf.with_interpreter(file, codec.raw(loader), temporary)
        os.chmod(temporary, 0o555)
        os.rename(temporary, made)
        return made

    def log(self, experiment: Experiment) -> str:
        """The log, decompressed."""
        path = os.path.join(self.work, "log")
        with experiment.open_log() as source, open(path, "wb") as dest:
            while block := source.read(_BLOCK):
                dest.write(block)
        return path


def make_plan(stage: Stage, experiment: Experiment, outdir: str) -> Plan:
    """The tracer's plan for a replay."""
    manifest = stage.manifest
    record = manifest.extra.get("record", {})
    plan = Plan(REPLAY, stage.log(experiment), codec.raw(record.get("program", manifest.command[0])),
                [codec.raw(a) for a in manifest.command],
                [codec.raw(f"{k}={v}") for k, v in manifest.environment.items()],
                report=os.path.join(stage.work, "report"), cwd=codec.raw(stage.empty),
                limits=rlimits.by_number(rlimits.for_replay(manifest.limits)[0]), umask=manifest.umask,
                duration_ns=round((manifest.duration_s or 0) * 1e9),
                no_stdin=manifest.terminal.get("stdin") == "closed", outdir=codec.raw(outdir),
                work=codec.raw(stage.work), empty=codec.raw(stage.empty), was_in=codec.raw(manifest.cwd))
    for path, state in stage.initial.items():
        name, file = codec.raw(path), stage.file_of(path)
        if file:
            plan.files[name] = (state.mode, state.mtime_ns, codec.raw(file))
        elif state.type == "symlink":
            plan.links[name] = codec.raw(state.target)
        elif state.type == "dir":
            plan.dirs[name] = state.mode
    plan.programs = {codec.raw(p): codec.raw(f) for p, f in stage.programs().items()}
    return plan


def open_stdin(stage: Stage) -> BinaryIO:
    """What was a plain file on standard input is one again; other input comes from the log."""
    content = stage.manifest.attachments.get("stdin")
    if not content:
        return open(os.devnull, "rb", buffering=0)
    file = open(stage.objects[content.sha256], "rb", buffering=0)
    file.seek(stage.manifest.extra.get("record", {}).get("stdin", {}).get("offset", 0))
    return file


def require_sandbox() -> None:
    """Make sure that an engine is there which runs in a sandbox.

    Raises:
        UsageError: it is not.
    """
    if choose()[0] != NATIVE:
        raise UsageError("--sandbox needs the native engine", "the reference engine is Python, which a sandbox "
                         "has no room for", "install gcc and install Rex again")


def replay(archive_path: str, name: str | None, outdir: str, is_quiet: bool = False,
           is_checked: bool = False, is_sandboxed: bool = False, is_explained: bool = False,
           output: tuple[int, int] | None = None) -> Outcome:
    """Run an experiment again, from the archive alone.

    Args:
        outdir: where its outputs go, each at its absolute path below.
        is_quiet: keep the program's standard output and error to ourselves.
        is_checked: compare the outputs with the recorded ones.
        is_explained: say which rule found each event, and what it waited for; by the native engine only.
        is_sandboxed: let it see nothing of this machine but its own files and outdir.
        output: descriptors that its standard output and error go to; None: ours.
    Raises:
        NotFound, Damaged, TooNew: the archive cannot be read.
        NotPermitted: the kernel does not let us trace, or make a sandbox.
        UsageError: the output directory is not empty.
    """
    archive = Archive.open(archive_path)
    experiment = archive.experiment(name)
    if experiment.state != "complete":
        raise NotFound(f"experiment {experiment.name} is {experiment.state}",
                       "its recording did not finish", "record it again")
    if experiment.is_session:
        raise UsageError(f"{experiment.name} is a notebook session", "there is no program to replay",
                         f"go on with it: rex notebook resume {quoted_ref(archive_path, experiment.name)}")
    if experiment.manifest.engine == "hindsight":
        raise UsageError(f"experiment {experiment.name} is a training run, recorded without system calls", "",
                         "see: rex hindsight replay --help")
    engine_name, engine = choose()
    if is_explained and engine_name != NATIVE:
        raise UsageError("--explain needs the native engine", "the reference engine has no table of rules",
                         "install gcc and install Rex again")
    if is_sandboxed:
        require_sandbox()
    if experiment.manifest.extra.get("record", {}).get("serialized") and engine_name != NATIVE:
        raise UsageError(f"experiment {experiment.name} was recorded with --serialize",
                         "only the native engine follows its order", "see: rex doctor")
    outdir = prepare_outdir(outdir)
    stdout, stderr = output or ((DEVNULL, DEVNULL) if is_quiet else (None, None))
    try:
        with rlimits.lifted(), Stage(archive, experiment, is_sandboxed) as stage, open_stdin(stage) as stdin:
            refused = rlimits.for_replay(stage.manifest.limits)[1]
            plan = make_plan(stage, experiment, outdir)
            if is_explained:
                plan.explain = os.path.join(stage.work, "explain")
            if is_sandboxed:
                plan.sandbox = stage.sandbox(outdir)
            report = engine(plan, stdin=stdin.fileno(), stdout=stdout, stderr=stderr)
            explanation = _explanation(plan.explain)
    except OSError as error:
        raise OwnFailure("the replay could not be prepared", str(error),
                         f"{advice(error.errno) or 'look at it'}, or set REX_CACHE to another directory") from error
    look_at_host(experiment.manifest, outdir, report)
    outcome = _outcome(experiment, outdir, report)
    outcome.problems[:0] = refused
    outcome.explanation = explanation
    if is_checked:
        outcome.differing = compare_outputs(experiment.manifest, outdir)
    return outcome


def look_at_host(manifest: Manifest, outdir: str, report: Report) -> None:
    """Where an output is cut, or a file could not be made, because this machine refused it, the replay says nothing of the experiment.

    Raises:
        OwnFailure: there is no room, a limit, or the disk fails.
    """
    failed = {problem.partition(": ")[0]: found for problem in report.problems if (found := told_by(problem))}
    if number := failed.pop("output_failed", None):
        raise OwnFailure("what the program prints cannot be written", os.strerror(number), advice(number))
    number = next((found for kind, found in failed.items() if kind in _FAILED), None) or refusal(outdir, _missing_sizes(manifest, outdir))
    if number:
        raise OwnFailure(f"the outputs do not fit into {outdir}", os.strerror(number), advice(number))


def _missing_sizes(manifest: Manifest, outdir: str) -> list[int]:
    """How much each recorded output lacks, in bytes; of those that lack something."""
    sizes = []
    for path, entry in manifest.files.items():
        if OUTPUT in entry.roles and entry.final and entry.final.type == "file":
            with reachable(os.fsencode(outdir) + codec.raw(path)) as name:
                there = os.path.getsize(name) if os.path.isfile(name) else 0
            if entry.final.size > there:
                sizes.append(entry.final.size - there)
    return sizes


def _outcome(experiment: Experiment, outdir: str, report: Report) -> Outcome:
    left_out = [f"{path} is missing: it was kept out of the archive (rex record --exclude)"
                for path in missing_inputs(experiment.manifest)]
    return Outcome(experiment, outdir, report.status, report.divergence, report.divergences,
                   report.difference, left_out + told_once(report.problems), divergence_rule=report.divergence_rule)


def _explanation(path: str) -> "Explanation | None":
    if not path:
        return None
    from rex.explain import read
    return read(path)


def told_once(problems: list[str]) -> list[str]:
    """Of the engine's problems the first of each kind, with how many more there are: one thing that goes wrong makes others fail."""
    kinds: dict[str, list[str]] = {}
    for problem in problems:
        kind, _, what = problem.partition(": ")
        kinds.setdefault(kind, []).append(what)
    return [f"{_FAILED.get(kind, kind)}: {found[0]}" + (f" (and {len(found) - 1:,} more)" if len(found) > 1 else "")
            for kind, found in kinds.items()]


def missing_inputs(manifest: Manifest) -> list[str]:
    """The files that a replay needs and that the user kept out of the archive."""
    paths = set(manifest.extra.get("record", {}).get("excluded", ()))
    outputs = {path for path, entry in manifest.files.items() if not entry.initial}
    return sorted(paths - outputs)


@contextlib.contextmanager
def _open_to_owner(outdir: str) -> Iterator[None]:
    """Meanwhile this user may read all in the directory, also what the program's own modes forbid."""
    former: list[tuple[bytes, int]] = []
    try:
        for path in below(os.fsencode(outdir)):
            with reachable(path) as name:
                mode = os.lstat(name).st_mode
                least = 0o700 if stat.S_ISDIR(mode) else 0o400
                if not stat.S_ISLNK(mode) and mode & least != least:
                    former.append((path, stat.S_IMODE(mode)))
                    os.chmod(name, stat.S_IMODE(mode) | least)
        yield
    finally:
        for path, mode in reversed(former):
            with reachable(path) as name:
                os.chmod(name, mode)


def compare_outputs(manifest: Manifest, outdir: str) -> dict[str, str]:
    """Recorded outputs that a replay's output directory does not have the same: why."""
    differing = {}
    with _open_to_owner(outdir):
        for path, entry in manifest.files.items():
            if OUTPUT in entry.roles and entry.final:
                with reachable(os.fsencode(outdir) + codec.raw(path)) as name:
                    why = _difference(entry.final, name)
                if why:
                    differing[path] = why
    return differing


def _difference(state: FileState, name: bytes) -> str:
    if not os.path.lexists(name):
        return "missing"
    if state.type == "symlink":
        same = os.path.islink(name) and codec.text(os.readlink(name)) == state.target
        return "" if same else "another link"
    if state.type == "dir":
        return "" if os.path.isdir(name) else "not a directory"
    if state.type != "file" or not state.content:
        return ""
    if not os.path.isfile(name):
        return "not a file"
    if os.path.getsize(name) != state.size:
        return f"{os.path.getsize(name)} bytes instead of {state.size}"
    digest = Sha256()
    with open(name, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return "" if digest.hexdigest() == state.content.sha256 else "other content"
