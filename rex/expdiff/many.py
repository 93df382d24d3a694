"""Many experiments at once: what each was given, what each gave, and who gave the same."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Callable, Iterable

from rex.archive import APPARATUS, INPUT, OUTPUT, FileState, Manifest
from rex.archive.about import labels_of
from rex.contents.client import Comparer
from rex.contents.rules import Rules
from rex.errors import UsageError
from rex.expdiff import output
from rex.expdiff.difference import STATUS, STDERR, STDOUT
from rex.expdiff.files import final_state, has_role

if TYPE_CHECKING:
    from rex.archive import Archive, Content, Experiment

# Kinds of facts, in the order in which one thinks of them.
ARGUMENT, INPUT_FILE, LIBRARY, VARIABLE, LABEL, PLACE = "argument", "input", "program or library", "variable", "label", "machine"
KINDS = (ARGUMENT, INPUT_FILE, LIBRARY, VARIABLE, LABEL, PLACE)
ABSENT = "(none)"
_NATURAL = frozenset({"_", "OLDPWD", "SHLVL", "PWD"})
_OPTION = re.compile(r"--?[A-Za-z][\w-]*")
_PLAIN = " (options not counted)"     # behind the place of an argument that is no option
_VERSION = re.compile(r"\.so[.-]?(\d[\w.]*)$|-(\d[\w.]*)\.so$")
_JUDGED = 60       # distinct contents of one output that are compared by meaning
Fact = tuple[str, str]     # kind and name


@dataclass
class Subject:
    """One of the experiments.

    Attributes:
        facts: what it was given, by kind and name.
        results: what it gave, by name: a digest, or ABSENT.
        paths: of files that it gave, their paths by name.
        numbers: of its arguments that are no options, their numbers in the command.
    """

    name: str
    archive: "Archive"
    experiment: "Experiment"
    facts: dict[Fact, str] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    contents: dict[str, "Content"] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)
    numbers: dict[Fact, int] = field(default_factory=dict)


def gather(archive: "Archive", experiment: "Experiment", name: str) -> Subject:
    """What an experiment was given and gave.

    Raises:
        NotFound: it never finished.
        UsageError: it is a notebook session.
        Damaged, TooNew: it cannot be read.
    """
    if experiment.is_session:
        raise UsageError(f"{name} is a notebook session", "its cells are no processes", "compare two sessions with rex expdiff")
    manifest = experiment.manifest
    found = Subject(name, archive, experiment)
    for item, (value, number) in arguments(manifest.command).items():
        found.facts[ARGUMENT, item] = value
        if item.endswith(_PLAIN):
            found.numbers[ARGUMENT, item] = number
    found.facts.update({(VARIABLE, item): value for item, value in manifest.environment.items() if item not in _NATURAL})
    found.facts.update({(LABEL, item): value for item, value in labels_of(manifest).items()})
    found.facts.update({(PLACE, item): str(value) for item, value in {
        "user": manifest.user, "host": manifest.host, **manifest.machine}.items()})
    _add_files(found, manifest)
    _add_output(found)
    return found


def arguments(command: Iterable[str]) -> dict[str, tuple[str, int]]:
    """The arguments of a command by name, each with its number: options by what they are called, others by their place among the others."""
    found: dict[str, tuple[str, int]] = {}
    words, at, place = list(command), 0, 0
    while at < len(words):
        word, number = words[at], at
        at += 1
        name, equals, value = word.partition("=")
        if not _OPTION.fullmatch(name):
            found[f"{place}{_PLAIN}"] = word, number
            place += 1
            continue
        if not equals and at < len(words) and name.startswith("-") and not _OPTION.fullmatch(words[at].partition("=")[0]):
            value = words[at]
            at += 1
        while name in found:
            name += "+"
        found[name] = value or "given", number
    return found


def _short(path: str, cwd: str) -> str:
    start = cwd.rstrip("/") + "/"
    return path[len(start):] if path.startswith(start) else path


def _value(state: FileState | None) -> str:
    if state is None:
        return ABSENT
    if state.content:
        return state.content.sha256
    return f"link to {state.target}" if state.type == "symlink" else state.type


def _add_files(found: Subject, manifest: Manifest) -> None:
    for path, entry in manifest.files.items():
        name = _short(path, manifest.cwd)
        if has_role(entry, OUTPUT):
            state = final_state(entry)
            found.results[name] = _value(state)
            if state and state.content:
                found.contents[name] = state.content
                found.paths[name] = path
        if INPUT in entry.roles and entry.initial and entry.initial.type == "file":
            found.facts[INPUT_FILE, name] = _value(entry.initial)
        elif APPARATUS in entry.roles and entry.initial and entry.initial.content:
            soname = entry.elf.soname if entry.elf and entry.elf.soname else name
            version = _VERSION.search(os.path.basename(path))
            shown = f"{version[1] or version[2]} " if version and soname != os.path.basename(path) else ""
            found.facts[LIBRARY, soname] = f"{shown}{entry.initial.content.sha256}"
    if content := manifest.attachments.get("stdin"):
        found.facts[INPUT_FILE, "standard input"] = content.sha256


def _add_output(found: Subject) -> None:
    manifest = found.experiment.manifest
    found.results[STATUS] = str(manifest.exit_status)
    if not manifest.log:
        return
    digests = {output.STDOUT: hashlib.sha256(), output.STDERR: hashlib.sha256()}
    for stream, data in output.output_pieces(found.experiment):
        digests[stream].update(data)
    found.results.update({STDOUT: digests[output.STDOUT].hexdigest(), STDERR: digests[output.STDERR].hexdigest()})


Groups = list[int]    # for each experiment the number of its group, from 0 on, in order of appearance


def grouped(values: Iterable[str]) -> Groups:
    """Equal values in one group."""
    known: dict[str, int] = {}
    return [known.setdefault(value, len(known)) for value in values]


@dataclass
class Table:
    """Experiments compared.

    Attributes:
        facts: what some were given otherwise than others: values in the order of the experiments.
        results: all that they gave: groups in that order.
        contents: of outputs of which the rules made some the same: how many different contents there are.
    """

    subjects: list[Subject]
    facts: dict[Fact, list[str]]
    results: dict[str, Groups]
    contents: dict[str, int] = field(default_factory=dict)

    @property
    def is_same(self) -> bool:
        """Whether all gave the same."""
        return not any(any(groups) for groups in self.results.values())


def tabulate(subjects: list[Subject], rules: Rules = Rules()) -> Table:
    """Compare experiments; rules: what outputs may differ in to be in one group, with the first of that group."""
    keys = list(dict.fromkeys(fact for kind in KINDS for subject in subjects for fact in subject.facts if fact[0] == kind))
    facts = {_renamed(fact, subjects): [subject.facts.get(fact, ABSENT) for subject in subjects] for fact in keys}
    names = list(dict.fromkeys(name for subject in subjects for name in subject.results))
    results = {name: [subject.results.get(name, ABSENT) for subject in subjects] for name in sorted(names, key=_order)}
    found = {name: grouped(values) for name, values in results.items()}
    before = {name: len(set(groups)) for name, groups in found.items()}
    if rules.is_set:
        with Comparer(rules) as comparer:
            for name, groups in found.items():
                with tempfile.TemporaryDirectory(prefix="rex-") as folder:
                    found[name] = _joined(name, groups, subjects, comparer, folder)
    return Table(subjects, {fact: values for fact, values in facts.items() if len(set(values)) > 1}, found,
                 {name: before[name] for name, groups in found.items() if len(set(groups)) < before[name]})


def _renamed(fact: Fact, subjects: list[Subject]) -> Fact:
    """An argument by its number in the command, where all have it there."""
    numbers = {subject.numbers[fact] for subject in subjects if fact in subject.numbers}
    return (ARGUMENT, str(numbers.pop())) if len(numbers) == 1 else fact


def _order(name: str) -> tuple[bool, str]:
    return name in (STDOUT, STDERR, STATUS), name


def _joined(name: str, groups: Groups, subjects: list[Subject], comparer: Comparer, folder: str) -> Groups:
    """Groups of which the first members are the same by the rules joined."""
    if not 1 < len(set(groups)) <= _JUDGED or name == STATUS:
        return groups
    first = {group: subjects[at] for at, group in reversed(list(enumerate(groups)))}
    kept: dict[int, str] = {}
    became: dict[int, int] = {}
    for group in sorted(first):
        path = os.path.join(folder, str(group))
        write = writer_of(first[group], name)
        if write is None:
            became[group] = group
            continue
        write(path)
        same = next((other for other, where in kept.items() if comparer.compare(name, where, path).is_same), None)
        became[group] = group if same is None else same
        if same is None:
            kept[group] = path
    return grouped(str(became[group]) for group in groups)


def is_same_result(name: str, one: Subject, two: Subject, comparer: Comparer) -> bool:
    """Whether two experiments gave the same output, by bytes or as the rules of the comparer allow."""
    if one.results.get(name, ABSENT) == two.results.get(name, ABSENT):
        return True
    writers = writer_of(one, name), writer_of(two, name)
    if not comparer.rules.is_set or not writers[0] or not writers[1]:
        return False
    with tempfile.TemporaryDirectory(prefix="rex-") as folder:
        paths = [os.path.join(folder, side) for side in ("one", "two")]
        writers[0](paths[0])
        writers[1](paths[1])
        return comparer.compare(name, *paths).is_same


def writer_of(subject: Subject, name: str) -> Callable[[str], None] | None:
    """What writes an output of an experiment to a file; None where there is none."""
    if name in subject.contents:
        return lambda path: subject.archive.extract(subject.contents[name], path)
    if name not in (STDOUT, STDERR) or name not in subject.results:
        return None
    wanted = output.STDOUT if name == STDOUT else output.STDERR

    def write(path: str) -> None:
        with open(path, "wb") as file:
            for stream, data in output.output_pieces(subject.experiment):
                if stream == wanted:
                    file.write(data)
    return write
