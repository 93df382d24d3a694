"""Compare two experiments, component by component."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, BinaryIO

from rex.archive import INPUT, OUTPUT, FileEntry, FileState, Manifest
from rex.archive import APPARATUS as APPARATUS_ROLE
from rex.contents.rules import Rules
from rex.expdiff import output
from rex.expdiff.apparatus import compare_apparatus, describe, script_diff
from rex.expdiff.bytesdiff import Source, detail_of
from rex.expdiff.cause import Prefer
from rex.expdiff.difference import (APPARATUS, COMMAND, ENVIRONMENT, INPUTS, MACHINE, ONLY_LEFT,
                                    ONLY_RIGHT, OUTPUTS, STATUS, STDERR, STDOUT, Comparison,
                                    Difference, compare_values)
from rex.expdiff.files import Pair, match, state_for
from rex.expdiff.logs import Logs
from rex.expdiff.meaning import CONTENT_DIFFERS, Meaning, add_verdict
from rex.expdiff.names import undated
from rex.expdiff.trace import Trace

if TYPE_CHECKING:
    from rex.archive import Archive, Experiment
    from rex.contents.compare import Verdict

# Variables that shells and terminals set each time; their values are nobody's input.
_NATURAL_VARIABLES = frozenset({"_", "OLDPWD", "SHLVL"})
_NATURAL_FACTS = {"start": "start_ns", "duration": "duration_s", "engine": "engine", "version of rex": "rex"}
_STREAMS = frozenset(("stdin", "stdout", "stderr"))
_SPOOL_BYTES = 8 << 20   # of a recorded output kept in memory


@dataclass(frozen=True)
class Side:
    """One of the two experiments."""

    archive: "Archive"
    experiment: "Experiment"

    @property
    def manifest(self) -> Manifest:
        """What it consists of."""
        return self.experiment.manifest


def compare(left: Side, right: Side, depth: int = 1, rules: Rules = Rules(), prefer: Prefer | None = None) -> Comparison:
    """Everything in which two finished experiments differ.

    Times, dates, process ids and what follows from the directory alone (PWD)
    are kept separate: they differ between any two runs.

    Args:
        depth: 1 for components and files, 2 for their bytes too, 3 for the calls as well.
        rules: what outputs may differ in.
        prefer: whether something is a better reason for an output than all others.
    Raises:
        NotFound: one of them never finished.
        Damaged, TooNew: it cannot be read.
    """
    if left.experiment.is_session or right.experiment.is_session:
        from rex.expdiff.sessions import compare_sessions
        return compare_sessions(left.experiment, right.experiment, depth)
    one, two = left.manifest, right.manifest
    with contextlib.closing(Logs(left.experiment, right.experiment)) as logs, contextlib.closing(Meaning(rules)) as meaning:
        found = _compare_manifests(left, right, depth, logs, meaning)
        if one.log and two.log:
            logs.compare_streams(found, any("stdin" in manifest.attachments for manifest in (one, two)))
        logs.add_existence(found)
        logs.add_packages(found)
        logs.add_nature(found)
        if not found.is_same:
            logs.find_causes(found, prefer)
        if depth > 2:
            found.calls = logs.compare_calls()
    return found


def _compare_manifests(left: Side, right: Side, depth: int, logs: Logs, meaning: Meaning) -> Comparison:
    found = Comparison(depth)
    one, two = left.manifest, right.manifest
    found.components[COMMAND] = _compare_command(one, two)
    found.components[ENVIRONMENT] = _compare_environment(one, two, found)
    found.components[MACHINE] = compare_values(_machine(one, two), _machine(two, one))
    for name, role in ((APPARATUS, APPARATUS_ROLE), (INPUTS, INPUT), (OUTPUTS, OUTPUT)):
        found.components[name] = _compare_files(left, right, role, found, logs, meaning)
    found.components[INPUTS] += _compare_stdin(left, right, depth, meaning)
    if one.log and two.log:
        found.components.update(_compare_output(left, right, found, meaning))
    else:
        found.components.update({name: [] for name in (STDOUT, STDERR)})
        found.by_nature.append(Difference("output of an experiment without a log"))
    found.components[STATUS] = ([] if one.exit_status == two.exit_status else
                                [Difference(STATUS, left=one.exit_status, right=two.exit_status)])
    for item, name in _NATURAL_FACTS.items():
        if getattr(one, name) != getattr(two, name):
            found.by_nature.append(Difference(item, left=getattr(one, name), right=getattr(two, name)))
    return found


def _compare_command(left: Manifest, right: Manifest) -> list[Difference]:
    """By argument, as vectors: an inserted one counts once, not for all behind it."""
    import difflib
    found = []
    matcher = difflib.SequenceMatcher(None, left.command, right.command, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag == "equal":
            continue
        old, new = list(left.command[i1:i2]), list(right.command[j1:j2])
        at = i1 if old else j1
        last = at + len(old or new) - 1
        item = f"argument {at}" if last == at else f"arguments {at} to {last}"
        kind = "differs" if old and new else ONLY_LEFT if old else ONLY_RIGHT
        found.append(Difference(item, kind, old or None, new or None))
    if left.cwd != right.cwd:
        found.append(Difference("working directory", left=left.cwd, right=right.cwd))
    return found


def _compare_environment(left: Manifest, right: Manifest, found: Comparison) -> list[Difference]:
    """Variables and the names of those withheld; PWD counts only where it does not follow the directory."""
    one, two = dict(left.environment), dict(right.environment)
    natural = set(_NATURAL_VARIABLES)
    if one.get("PWD", left.cwd) == left.cwd and two.get("PWD", right.cwd) == right.cwd:
        natural.add("PWD")
    for manifest, values in ((left, one), (right, two)):
        for name in manifest.withheld:   # known to be there, its value to nobody
            values[name] = None   # type: ignore[assignment]
    differences = compare_values(one, two)
    found.by_nature += [each for each in differences if each.item in natural]
    return [each for each in differences if each.item not in natural]


def _machine(manifest: Manifest, other: Manifest) -> dict[str, Any]:
    """Facts about place and session that a program can see; limits and terminals only where both experiments have some."""
    facts: dict[str, Any] = {"user": manifest.user, "host": manifest.host,
                             "umask": f"{manifest.umask:03o}", **manifest.machine}
    # What else is behind a standard stream is not the experiment's.
    facts.update({f"terminal {name}": value if name not in _STREAMS or value in ("terminal", "closed") else "no terminal"
                  for name, value in manifest.terminal.items() if other.terminal})
    facts.update({f"limit {name}": list(value) for name, value in manifest.limits.items() if other.limits})
    return facts


def _state_json(state: FileState | None) -> dict[str, Any] | None:
    if state is None:
        return None
    return {"type": state.type, "mode": f"{state.mode:04o}", "size": state.size,
            "sha256": state.content.sha256 if state.content else None, "target": state.target}


def _elf_notes(left: FileEntry, right: FileEntry) -> list[str]:
    """What two ELF files say differently about themselves."""
    if not left.elf or not right.elf:
        return []
    notes = []
    for name, what in (("build_id", "build id"), ("soname", "SONAME"), ("interpreter", "loader")):
        old, new = getattr(left.elf, name), getattr(right.elf, name)
        if old != new:
            notes.append(f"{what} {old or 'none'} -> {new or 'none'}")
    only = [(sign, name) for sign, ours, theirs in (("-", left.elf.needed, right.elf.needed),
                                                    ("+", right.elf.needed, left.elf.needed))
            for name in ours if name not in theirs]
    if only:
        notes.append("needed libraries: " + ", ".join(sign + name for sign, name in only))
    return notes


def _notes(pair: Pair, old: FileState, new: FileState) -> list[str]:
    """In which respects two states of a file differ, times and owners aside."""
    notes = []
    if old.type != new.type:
        notes.append(f"type {old.type} -> {new.type}")
    elif (old.content.sha256 if old.content else old.size) != (
            new.content.sha256 if new.content else new.size):
        notes.append(f"{CONTENT_DIFFERS}{old.size} -> {new.size} bytes")
    if old.target != new.target:
        notes.append(f"link to {old.target or 'nothing'} -> {new.target or 'nothing'}")
    if old.mode != new.mode:
        notes.append(f"mode {old.mode:04o} -> {new.mode:04o}")
    if notes and pair.left and pair.right:
        notes += _elf_notes(pair.left, pair.right)
    return notes


def _compare_files(left: Side, right: Side, role: str, found: Comparison, logs: Logs, meaning: Meaning) -> list[Difference]:
    differences: list[Difference] = []
    times = unread = renamed = 0
    for pair in match(left.manifest, right.manifest, role, (logs.left.certain, logs.right.certain)):
        old, new = _used(logs.left, pair.left, pair.left_path, role), _used(logs.right, pair.right, pair.right_path, role)
        times += bool(old and new and old.mtime_ns != new.mtime_ns)
        each = _compare_pair(pair, old, new)
        if each is None:
            renamed += role == OUTPUT and undated(pair.left_path) == undated(pair.right_path) and pair.left_path != pair.right_path
            continue
        if role == INPUT and not (_matters(logs.left, pair.left, pair.left_path)
                                  or _matters(logs.right, pair.right, pair.right_path)):
            unread += 1
            continue
        if role == APPARATUS_ROLE and not (_ran(logs.left, pair.left_path) or _ran(logs.right, pair.right_path)):
            continue
        if role == APPARATUS_ROLE and old and new:
            each = _with_apparatus(each, left, right, old, new)
        verdict = _judge(left, right, old, new, each.left_path, meaning) if role != APPARATUS_ROLE else None
        is_within = role == OUTPUT and meaning.is_allowed(each, verdict)
        each = add_verdict(_with_bytes(each, left, right, old, new, found.depth), verdict)
        (found.within if is_within else differences).append(each)
    for count, what in ((times, "modification times of"), (unread, "what was overwritten unread in"),
                        (renamed, "uuids and dates in the names of")):
        if count:
            noun = "file" if count == 1 else "files"
            found.by_nature.append(Difference(f"{what} {count} {noun} ({role})"))
    return differences


def _ran(trace: Trace, path: str) -> bool:
    """Whether a log, if there is one, says that this was run or loaded: what was kept for runs to come counts as little as what was not."""
    return bool(path) and (not trace.events or trace.is_read(path))


def _used(trace: Trace, entry: FileEntry | None, path: str, role: str) -> FileState | None:
    """The state that counts; of a program that the experiment made before it ran it, what it made."""
    if entry is None:
        return None
    is_made = role == APPARATUS_ROLE and entry.is_changed and not trace.is_read_before_written(path)
    return state_for(entry, OUTPUT if is_made else role)


def _compare_pair(pair: Pair, old: FileState | None, new: FileState | None) -> Difference | None:
    """How a file differs; None if it does not."""
    where = {"left_path": pair.left_path, "right_path": pair.right_path}
    if pair.left is None or pair.right is None:
        return Difference(pair.name, ONLY_RIGHT if pair.left is None else ONLY_LEFT, _state_json(old),
                          _state_json(new), () if old or new else ("removed by the experiment",), **where)
    if old is None or new is None:
        notes = [] if old is new else ["removed by the " + ("first" if old is None else "second")]
    else:
        notes = _notes(pair, old, new)
    if pair.is_renumbered:
        notes.append("has another number in its name")
    if not notes:
        return None
    if pair.left_path != pair.right_path:
        notes.append(f"{pair.left_path} -> {pair.right_path}")
    return Difference(pair.name, left=_state_json(old), right=_state_json(new), notes=tuple(notes), **where)


def _matters(trace: Trace, entry: FileEntry | None, path: str) -> bool:
    """Whether an input can have mattered; a file that was overwritten unread did not.

    Removing is all that a log need know of a file; what no log knows counts.
    """
    if entry is None or not entry.is_changed or OUTPUT not in entry.roles:
        return entry is not None
    return not trace.events or trace.is_read_before_written(path)


def _with_apparatus(difference: Difference, left: Side, right: Side, old: FileState,
                    new: FileState) -> Difference:
    """The difference with what programs say about themselves, and the lines in which scripts differ."""
    if not old.content or not new.content or old.content.sha256 == new.content.sha256:
        return difference
    one = describe(left.archive, difference.left_path, old)
    two = describe(right.archive, difference.right_path, new)
    notes, details = compare_apparatus(one, two)
    if "sections" not in one and "sections" not in two:
        lines = script_diff((left.archive, right.archive), old, new)
        details.update({"diff": lines} if lines else {})
    return replace(difference, notes=(*difference.notes, *notes), details={**difference.details, **details})


def _judge(left: Side, right: Side, old: FileState | None, new: FileState | None, name: str, meaning: Meaning) -> "Verdict | None":
    """The verdict on two states of a file; None where their contents are equal, or only bytes."""
    if not old or not new or not old.content or not new.content or old.content.sha256 == new.content.sha256:
        return None
    return meaning.judge(name, Source.stored(left.archive.store, old.content), Source.stored(right.archive.store, new.content))


def _with_bytes(difference: Difference, left: Side, right: Side, old: FileState | None,
                new: FileState | None, depth: int) -> Difference:
    """The difference with what its bytes tell, where depth and contents allow."""
    if depth < 2 or not old or not new or not old.content or not new.content or old.content == new.content:
        return difference
    return replace(difference, details={**difference.details, **detail_of(
        Source.stored(left.archive.store, old.content), Source.stored(right.archive.store, new.content))})


def _compare_stdin(left: Side, right: Side, depth: int, meaning: Meaning) -> list[Difference]:
    """A plain file on standard input, by content; its name is nobody's knowledge."""
    one, two = (side.manifest.attachments.get("stdin") for side in (left, right))
    if (one.sha256 if one else None) == (two.sha256 if two else None):
        return []
    states = [FileState("file", size=c.size, content=c) if c else None for c in (one, two)]
    kind = "differs" if one and two else ONLY_LEFT if one else ONLY_RIGHT
    notes = (f"{CONTENT_DIFFERS}{one.size} -> {two.size} bytes",) if one and two else ()
    found = Difference("standard input", kind, _state_json(states[0]), _state_json(states[1]), notes)
    verdict = _judge(left, right, states[0], states[1], "stdin", meaning)
    return [add_verdict(_with_bytes(found, left, right, states[0], states[1], depth), verdict)]


@dataclass
class _Written:
    """Everything that one experiment wrote to one stream."""

    sha256: str
    size: int
    file: BinaryIO


def _written(side: Side) -> dict[int, _Written]:
    """Output by stream."""
    made = {stream: _Written("", 0, tempfile.SpooledTemporaryFile(_SPOOL_BYTES))   # type: ignore[arg-type]
            for stream in (output.STDOUT, output.STDERR)}
    digests = {stream: hashlib.sha256() for stream in made}
    for stream, data in output.output_pieces(side.experiment):
        digests[stream].update(data)
        made[stream].size += len(data)
        made[stream].file.write(data)
    for stream, digest in digests.items():
        made[stream].sha256 = digest.hexdigest()
    return made


def _compare_output(left: Side, right: Side, found: Comparison, meaning: Meaning) -> dict[str, list[Difference]]:
    ours, theirs = _written(left), _written(right)
    components: dict[str, list[Difference]] = {STDOUT: [], STDERR: []}
    for name, short, stream in ((STDOUT, "stdout", output.STDOUT), (STDERR, "stderr", output.STDERR)):
        one, two = ours[stream], theirs[stream]
        if one.sha256 != two.sha256:
            each = Difference(name, left={"size": one.size, "sha256": one.sha256},
                              right={"size": two.size, "sha256": two.sha256},
                              notes=(f"{CONTENT_DIFFERS}{one.size} -> {two.size} bytes",))
            sources = Source.spooled(one.file, one.size), Source.spooled(two.file, two.size)
            verdict = meaning.judge(short, *sources)
            is_within = meaning.is_allowed(each, verdict)
            if found.depth > 1:
                each = replace(each, details=detail_of(*sources))
            (found.within if is_within else components[name]).append(add_verdict(each, verdict))
        one.file.close()
        two.file.close()
    return components
