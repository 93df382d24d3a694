"""What a user allows outputs to differ in, together with the rules of an archive."""

from __future__ import annotations

import os

from rex.hints import TYPE_CHECKING
from rex.values import dataclass

if TYPE_CHECKING:
    from rex.contents.rules import Rules


@dataclass(frozen=True)
class GivenRules:
    """The options of a command line.

    Attributes:
        rtol, atol, ulps: None: not given, so that the archive's hold.
        is_alone: the rules of the archive do not hold.
    """

    rtol: float | None = None
    atol: float | None = None
    ulps: int | None = None
    ignore: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    any_order: bool = False
    is_alone: bool = False

    @property
    def is_given(self) -> bool:
        """Whether anything was given."""
        return self != GivenRules()


def rules_for(archive_path: str, given: GivenRules | None) -> "Rules | None":
    """The rules of an archive, where it has some, and what was given; a number that was given replaces the archive's. None for no rules.

    Raises:
        UsageError: they make no sense.
        Damaged: those of the archive cannot be read.
    """
    from rex.archive.topfiles import RULES
    has_own = os.path.lexists(os.path.join(archive_path, RULES)) and not (given and given.is_alone)
    if not has_own and not (given and given.is_given):
        return None
    from rex.archive import Archive
    from rex.archive.rulesfile import read_rules
    from rex.contents.rules import Rules, added, from_json, make
    given = given or GivenRules()
    told = read_rules(Archive.open(archive_path)) if has_own else None
    own = from_json(told, f"{archive_path}/{RULES}") if told is not None else Rules()
    wanted = make(given.rtol or 0.0, given.atol or 0.0, given.ulps or 0, given.ignore, given.formats, given.any_order)
    return added(own, wanted, [name for name in ("rtol", "atol", "ulps") if getattr(given, name) is not None])
