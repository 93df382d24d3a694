"""Which experiments of an archive a user means: name patterns and filters."""

from __future__ import annotations

import fnmatch
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from rex.cli.options import DURATION
from rex.cli.table import named_ref, parse_ref
from rex.errors import NotFound, UsageError
from rex.values import dataclass

if TYPE_CHECKING:
    from rex.archive import Archive

_GLOB = frozenset("*?[")
SORTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "date": lambda told: told["start_ns"], "duration": lambda told: told["duration_s"] or 0,
    "exit": lambda told: told["exit_status"] or 0, "size": lambda told: told["logical_bytes"] or 0,
    "stored": lambda told: told["stored_bytes"] or 0, "unique": lambda told: told["unique_bytes"] or 0,
    "command": lambda told: told["command"] or []}


@dataclass(frozen=True)
class Filter:
    """What experiments must be like; each part that is given counts.

    Attributes:
        where: K=V, K!=V or K each: a label is like a pattern, is not, or is there.
        since_s: begun at most so many seconds ago.
        is_failed: with another exit status than 0, or not finished.
        command: pattern of the command's words, or of its program's name.
        parent: name of the experiment that it was made from.
        sort: key of SORTS; "": by name.
        limit: at most so many, the last ones.
    """

    where: tuple[str, ...] = ()
    since_s: float | None = None
    is_failed: bool = False
    command: str = ""
    parent: str = ""
    sort: str = ""
    is_reversed: bool = False
    limit: int | None = None

    def apply(self, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Those that are so, in the order asked for; each as `rex ls --json` prints it."""
        found = [each for each in told if self._takes(each)]
        if self.sort:
            found.sort(key=SORTS[self.sort])
        if self.is_reversed:
            found.reverse()
        return found if self.limit is None else found[max(len(found) - self.limit, 0):]

    def _takes(self, told: dict[str, Any]) -> bool:
        words = told["command"] or [""]
        return (all(has_label(told["labels"], text) for text in self.where)
                and (self.since_s is None or told["start_ns"] >= time.time_ns() - self.since_s * 1e9)
                and not (self.is_failed and told["exit_status"] == 0)
                and (not self.command or fnmatch.fnmatchcase(" ".join(words), self.command)
                     or fnmatch.fnmatchcase(os.path.basename(words[0]), self.command))
                and (not self.parent or told["made_from"] == self.parent))


def has_label(labels: dict[str, str], text: str) -> bool:
    """Whether labels are as K=V, K!=V or K says; V may be a pattern."""
    key, equals, pattern = text.partition("=")
    if not equals:
        return key in labels
    if key.endswith("!"):
        return not fnmatch.fnmatchcase(labels.get(key[:-1], ""), pattern)
    return key in labels and fnmatch.fnmatchcase(labels[key], pattern)


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that make a `Filter`."""
    for option in reversed((
            click.option("--where", multiple=True, metavar="K=V", help="With this label; V may be a pattern. Also K!=V, and K alone."),
            click.option("--since", "since_s", type=DURATION, help="Begun at most so long ago: 2d, 6h."),
            click.option("--failed", "is_failed", is_flag=True, help="With another exit status than 0, or not finished."),
            click.option("--command", "command_pattern", default="", metavar="GLOB", help="Whose command, or program's name, is like this."),
            click.option("--parent", default="", metavar="EXP", help="Made from this experiment."))):
        command = option(command)
    return command


def is_pattern(name: str) -> bool:
    """Whether a name is a pattern: no experiment's name holds *, ? or [."""
    return not _GLOB.isdisjoint(name)


def matching(archive: "Archive", pattern: str) -> list[str]:
    """Names of the experiments, finished or not, that are like a pattern.

    Raises:
        NotFound: none is.
    """
    found = [each.name for each in archive.experiments() if fnmatch.fnmatchcase(each.name, pattern)]
    if not found:
        raise NotFound(f"no experiment of {archive.path} is like {pattern}", "", f"see: rex ls {archive.path}")
    return found


def expand(refs: tuple[str, ...]) -> list[tuple[str, str]]:
    """Archive and experiment of each ref, patterns expanded, each once.

    Raises:
        NotFound: there is no such archive or experiment.
        UsageError: a ref names no experiment.
    """
    from rex.archive import Archive
    found: list[tuple[str, str]] = []
    for text in refs:
        path, name = named_ref(text)
        archive = Archive.open(path)
        names = matching(archive, name) if is_pattern(name) else [archive.experiment(name).name]
        found += [(path, each) for each in names]
    return list(dict.fromkeys(found))


def one(text: str) -> tuple["Archive", str]:
    """The archive and the name of one experiment, the default one where none is named.

    Raises:
        NotFound: there is none.
        UsageError: the ref is a pattern.
    """
    from rex.archive import Archive
    ref = parse_ref(text)
    if ref.experiment and is_pattern(ref.experiment):
        raise UsageError(f"{text} is a pattern", "one experiment is wanted", "name it")
    archive = Archive.open(ref.archive)
    return archive, archive.experiment(ref.experiment).name
