"""`rex record --against`: what is said of a recording that is like an earlier one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Callable

from rex import codec
from rex.archive import Archive
from rex.cli.ending import say
from rex.cli.given_rules import rules_for
from rex.cli.refs import parse_ref
from rex.contents.rules import Rules
from rex.expdiff.against import Watch
from rex.expdiff.compare import Side, compare
from rex.text import clean
from rex.values import dataclass

if TYPE_CHECKING:
    from rex.archive import Experiment
    from rex.archive.logkeeper import Growing
    from rex.recorder import Options


@dataclass(frozen=True)
class Earlier:
    """The experiment that a recording is compared with."""

    ref: str
    archive: Archive
    experiment: "Experiment"


def named(text: str, archive: str) -> Earlier:
    """The experiment of this name, in the archive that is recorded to if no other is named.

    Raises:
        NotFound: there is none.
    """
    ref = parse_ref(text if ":" in text else f"{archive}:{text}")
    opened = Archive.open(ref.archive)
    experiment = opened.experiment(ref.experiment)
    return Earlier(f"{ref.archive}:{experiment.name}", opened, experiment)


def watch(earlier: Earlier, options: "Options") -> "Callable[[Growing], None]":
    """What looks for the first difference while the program runs; what differs already is said now."""
    found = Watch(earlier.experiment, earlier.archive.store,
                  lambda what: say(f"rex: first difference from {clean(earlier.ref)}: {clean(what)}"))
    found.begin(options.streams[0], [codec.text(os.fsencode(word)) for word in options.command],
                {codec.text(key): codec.text(value) for key, value in os.environb.items()}, codec.text(os.getcwdb()))
    return found.follow


def compare_with(earlier: Earlier, archive: str, name: str) -> str:
    """What differs in the end, in one line: how much of each component, and why the first output does."""
    opened = Archive.open(archive)
    rules = rules_for(earlier.archive.path, None) or Rules()
    found = compare(Side(earlier.archive, earlier.experiment), Side(opened, opened.experiment(name)), 1, rules)
    if found.is_same:
        return f"the same as {earlier.ref}" + (f" within tolerance ({len(found.within)} outputs)" if found.within else "")
    counts = ", ".join(f"{component} ({len(differences)})" for component, differences in found.components.items() if differences)
    return f"differs from {earlier.ref} in: {counts}" + (f"; {found.causes[0].sentence}" if found.causes else "")
