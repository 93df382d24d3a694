"""What two logs add to a comparison: streams, what always differs, reasons, calls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Iterable

from rex.errors import NotFound
from rex.expdiff.bytesdiff import Source, detail_of
from rex.expdiff.calls import Calls, add_texts, compare_calls
from rex.expdiff.cause import (FILE, FOLLOWING, LOOK, PLACE, VARIABLE, Detective, Prefer, Story, Suspect, Suspects,
                               names_file, rank_of)
from rex.expdiff.difference import (APPARATUS, COMMAND, ENVIRONMENT, INPUTS, MACHINE, ONLY_LEFT,
                                    ONLY_RIGHT, OUTPUTS, STATUS, STDERR, STDOUT, Comparison,
                                    Difference)
from rex.expdiff.packages import compare_packages
from rex.expdiff.partings import find_partings
from rex.expdiff.processes import match_tasks
from rex.expdiff.reading import read_both
from rex.expdiff.shapes import READ, WRITE
from rex.expdiff.trace import STDIN, Flow, Trace

if TYPE_CHECKING:
    from rex.archive import Experiment

_LOOKED, _LISTED, _THERE = "looked for it and ", "listed its folder and ", {"type": "file"}
_ONLY_LOOKED = ("only looked for",)
_Key = tuple[int, str, str]   # process, direction, name of the stream
_KINDS = {ONLY_LEFT: "is only in the first", ONLY_RIGHT: "is only in the second"}


@dataclass
class StreamPair:
    """One stream of two matched processes; None where it is in one only."""

    left_key: _Key | None
    right_key: _Key | None
    left: Flow | None
    right: Flow | None

    @property
    def name(self) -> str:
        """Name of the stream."""
        return (self.left or self.right).name   # type: ignore[union-attr]

    @property
    def direction(self) -> str:
        """READ or WRITE."""
        return (self.left_key or self.right_key)[1]   # type: ignore[index]


class Logs:
    """The logs of two experiments, read once each."""

    def __init__(self, left: "Experiment", right: "Experiment") -> None:
        """Read both.

        Raises:
            Damaged, TooNew: a log cannot be read.
        """
        self._experiments = (left, right)
        self.left, self.right = read_both(left, right)
        self.matches = match_tasks(self.left, self.right)
        self._packages: dict[str, str] = {}   # what is said of files of packages
        self._streams = [pair for pair in self._pair_streams()
                         if not pair.left or not pair.right or pair.left.sha256 != pair.right.sha256]

    def close(self) -> None:
        """Give up what is kept outside of memory."""
        self.left.close()
        self.right.close()

    def _pair_streams(self) -> Iterable[StreamPair]:
        seen: set[_Key] = set()
        for key, flow in self.left.flows.items():
            counterpart = self.matches.get(key[0])
            other = (counterpart, *key[1:]) if counterpart is not None else None
            if other in self.right.flows:
                seen.add(other)   # type: ignore[arg-type]
                yield StreamPair(key, other, flow, self.right.flows[other])   # type: ignore[arg-type, index]
            else:
                yield StreamPair(key, None, flow, None)
        for key, flow in self.right.flows.items():
            if key not in seen:
                yield StreamPair(None, key, None, flow)

    def compare_streams(self, found: Comparison, has_stdin: bool) -> None:
        """Add what was read from and written to streams, files on standard streams aside.

        Args:
            has_stdin: standard input is compared already, as a file.
        """
        for pair in self._streams:
            if pair.direction == WRITE and pair.name in (STDOUT, STDERR) or pair.name == STDIN and has_stdin:
                continue
            component = found.components[INPUTS if pair.direction == READ else OUTPUTS]
            component.append(self._stream_difference(pair, found.depth))

    def _stream_difference(self, pair: StreamPair, depth: int) -> Difference:
        trace, key = (self.left, pair.left_key) if pair.left_key else (self.right, pair.right_key)
        process = (trace.tasks[key[0]].name if key else "") or "a process"
        verb = "read" if pair.direction == READ else "written"
        states = [{"size": flow.size, "sha256": flow.sha256} if flow else None for flow in (pair.left, pair.right)]
        each = Difference(f"{pair.name}, {verb} by {process}", left=states[0], right=states[1])
        if not pair.left or not pair.right:
            return replace(each, kind=ONLY_LEFT if pair.left else ONLY_RIGHT)
        each = replace(each, notes=(f"content differs: {pair.left.size} -> {pair.right.size} bytes",))
        if depth > 1 and pair.left.is_whole and pair.right.is_whole:
            return replace(each, details=detail_of(Source.held(pair.left.head), Source.held(pair.right.head)))
        return each

    def add_nature(self, found: Comparison) -> None:
        """Add the kinds of calls whose outcomes differ between any two runs, with their numbers."""
        for kind in sorted(self.left.nature.keys() | self.right.nature.keys()):
            one, two = self.left.nature.get(kind), self.right.nature.get(kind)
            if (one and (one.count, one.digest)) != (two and (two.count, two.digest)):
                found.by_nature.append(Difference(kind, left=one.count if one else 0, right=two.count if two else 0))

    def compare_calls(self) -> Calls:
        """The calls of all processes, with the text of those that differ."""
        calls = compare_calls(self.left, self.right, self.matches)
        try:
            add_texts(calls, (self._experiments[0].open_log, self._experiments[1].open_log))
        except NotFound:
            pass   # exported without its log
        return calls

    def find_causes(self, found: Comparison, prefer: Prefer | None = None) -> None:
        """Add the most probable reason of every output that differs, and where each process parted from its counterpart."""
        stories = (Story(self.left, self._suspects(found, 0)), Story(self.right, self._suspects(found, 1)))
        found.partings = find_partings(stories, self.matches, found)
        detective = Detective(*stories, prefer)
        for each in found.components[OUTPUTS]:
            starts = (stories[0].writers(each.left_path), stories[1].writers(each.right_path))
            if each.left_path or each.right_path:
                found.causes.append(detective.find(each.item, starts))
        for name in (STDOUT, STDERR):
            if found.components[name]:
                found.causes.append(detective.find(name, self._stream_writers(name)))
        if found.components[STATUS]:
            roots = [[(task.number, task.end) for task in trace.tasks.values() if task.parent is None]
                     for trace in (self.left, self.right)]
            found.causes.append(detective.find(STATUS, (roots[0], roots[1])))

    def _stream_writers(self, name: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Who wrote something else; whoever wrote at all, if only the order differs."""
        pairs = [pair for pair in self._streams if pair.name == name and pair.direction == WRITE]
        starts = ([(pair.left_key[0], pair.left.event) for pair in pairs if pair.left_key and pair.left],
                  [(pair.right_key[0], pair.right.event) for pair in pairs if pair.right_key and pair.right])
        if any(starts):
            return starts
        return ([(key[0], flow.event) for key, flow in self.left.flows.items() if key[1:] == (WRITE, name)],
                [(key[0], flow.event) for key, flow in self.right.flows.items() if key[1:] == (WRITE, name)])

    def _suspects(self, found: Comparison, side: int) -> Suspects:
        made = Suspects()
        replaced = {**self._replaced(found), **self._packages}
        variables = found.components[ENVIRONMENT]
        for path, what in self._other_names(side):
            made.files[path] = Suspect(what, INPUTS, path, LOOK, _LISTED)
        for what, item, path in self._other_states(side):
            made.files[path] = Suspect(f"the {what} of {item} differs", INPUTS, item, LOOK, _LOOKED)
        for component, noun in ((INPUTS, "input "), (APPARATUS, "")):
            for each in found.components[component]:
                path = each.right_path if side else each.left_path
                if path:
                    what = replaced.get(path) or f"{noun}{each.item} {_said(each)}"
                    follows = each.kind in _KINDS and any(names_file(variable, path) for variable in variables)
                    verb = _LOOKED if each.notes == _ONLY_LOOKED else ""
                    made.files[path] = Suspect(what, component, each.item, FOLLOWING if follows else rank_of(path), verb)
        for pair in self._streams:
            key = pair.right_key if side else pair.left_key
            if key and pair.direction == READ:
                made.streams[key[0], pair.name] = Suspect(f"what came from {pair.name} differs", INPUTS, pair.name)
        made.given = _given(found)
        made.commands = self._other_commands(side)
        return made

    def _other_states(self, side: int) -> list[tuple[str, str, str]]:
        """Files that both sides found, and of which something differs besides content: what, the name, and the path of one side."""
        found = []
        for name, (left, right) in self.looked_at().items():
            one, two = self.left.looks.by_path[left], self.right.looks.by_path[right]
            if one.is_found and two.is_found and (what := one.differs_from(two)):
                found.append((what, name, right if side else left))
        return found

    def looked_at(self) -> dict[str, tuple[str, str]]:
        """What both sides looked at by name, and neither had changed: the path on either side, by the left one."""
        ours = {self.left.logical(path): path for path in self.left.looks.by_path if not self.left.has_changed(path)}
        theirs = {self.right.logical(path): path for path in self.right.looks.by_path if not self.right.has_changed(path)}
        return {path: (path, theirs[logical]) for logical, path in ours.items() if logical in theirs}

    def _other_names(self, side: int) -> Iterable[tuple[str, str]]:
        """Directories of one side that both listed, and the first name there that only one has, and that neither made."""
        ours, theirs = ({trace.logical(path): path for path in trace.looks.listings} for trace in (self.left, self.right))
        for logical in ours.keys() & theirs.keys():
            left, right = ours[logical], theirs[logical]
            one, two = self.left.looks.listings[left], self.right.looks.listings[right]
            for name in sorted(one ^ two):
                path = f"{left.rstrip('/')}/{name}"
                if not self.left.has_changed(path) and not self.right.has_changed(f"{right.rstrip('/')}/{name}"):
                    yield right if side else left, f"{path} {_KINDS[ONLY_LEFT if name in one else ONLY_RIGHT]}"
                    break

    def add_packages(self, found: Comparison) -> None:
        """Add to the inputs, before all files, the packages that they are of, where those have other versions."""
        files = [each for component in (INPUTS, APPARATUS) for each in found.components[component]]
        packages, self._packages = compare_packages(self.left.packages, self.right.packages, files)
        found.components[INPUTS][:0] = packages

    def add_existence(self, found: Comparison) -> None:
        """Add to the inputs what was there for one side only, and was only looked for."""
        known = {path for component in (INPUTS, APPARATUS, OUTPUTS) for each in found.components[component]
                 for path in (each.left_path, each.right_path)}
        for name, (left, right) in self.looked_at().items():
            is_left, is_right = self.left.looks.by_path[left].is_found, self.right.looks.by_path[right].is_found
            if is_left != is_right and not known & {left, right}:
                found.components[INPUTS].append(Difference(
                    name, ONLY_LEFT if is_left else ONLY_RIGHT, _THERE if is_left else None, _THERE if is_right else None, _ONLY_LOOKED,
                    left_path=left, right_path=right))

    def _other_commands(self, side: int) -> set[int]:
        """Tasks that were started with another command than their counterparts, or have none."""
        trace = self.right if side else self.left
        same = {(right if side else left) for left, right in self.matches.items()
                if [each.label for each in self.left.tasks[left].execs]
                == [each.label for each in self.right.tasks[right].execs]}
        return trace.tasks.keys() - same

    def _replaced(self, found: Comparison) -> dict[str, str]:
        """Programs that stand at each other's place, named as one thing."""
        only = {path for each in found.components[APPARATUS] if each.kind in _KINDS
                for path in (each.left_path, each.right_path) if path}
        told = {}
        for left, right in self.matches.items():
            for one, two in zip(self.left.tasks[left].execs, self.right.tasks[right].execs):
                if one.path in only and two.path in only:
                    told[one.path] = told[two.path] = (
                        f"{one.path} ran in the first and {two.path} in the second")
        return told


def _said(difference: Difference) -> str:
    """How a file differs, in a few words: by its package where that is known."""
    if difference.kind in _KINDS:
        return _KINDS[difference.kind]
    notes = [note for note in difference.notes if note.startswith("package ")] or list(difference.notes[:1])
    return f"differs ({notes[0]})" if notes else "differs"


def _given(found: Comparison) -> list[Suspect]:
    """What the experiment had from its start: arguments, variables, place."""
    made = []
    for component, noun, rank in ((COMMAND, "", FILE), (ENVIRONMENT, "variable ", VARIABLE), (MACHINE, "", PLACE)):
        for each in found.components[component]:
            is_place = each.item == "working directory"
            what = _KINDS.get(each.kind) or f"is {_value(each.left)} in the first and {_value(each.right)} in the second"
            made.append(Suspect(f"{noun}{each.item} {what}", component, each.item, PLACE if is_place else rank))
    made += [Suspect(f"{each.item} {_said(each)}", INPUTS, each.item) for each in found.components[INPUTS]
             if each.item == STDIN and not each.left_path and not each.right_path]
    return made


def _value(value: Any) -> str:
    text = " ".join(map(str, value)) if isinstance(value, list) else str(value)
    return repr(text if len(text) <= 60 else text[:60] + "…")

