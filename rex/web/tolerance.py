"""What outputs may differ in, as the address of a page has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Mapping, Sequence

from rex.archive.rulesfile import read_rules
from rex.contents.rules import Rules, added, from_json, make, words_of
from rex.errors import UsageError

if TYPE_CHECKING:
    from rex.archive import Archive

NUMBERS = ("rtol", "atol", "ulps")


@dataclass(frozen=True)
class Tolerance:
    """The fields of the form, as they were typed.

    Attributes:
        ignore, formats: one expression, or FILE=FORMAT, a line.
        is_alone: the rules of the archive do not hold.
    """

    rtol: str = ""
    atol: str = ""
    ulps: str = ""
    ignore: str = ""
    formats: str = ""
    any_order: bool = False
    is_alone: bool = False

    @classmethod
    def of(cls, query: Mapping[str, str]) -> "Tolerance":
        """The fields that an address, or a request, has."""
        texts = {name: query.get(name, "").strip() for name in (*NUMBERS, "ignore", "formats")}
        return cls(**texts, any_order="any_order" in query, is_alone="is_alone" in query)

    @property
    def is_given(self) -> bool:
        """Whether a field is filled."""
        return self != Tolerance()

    def with_those_of(self, archive: "Archive") -> Rules:
        """The rules: those typed, and those of the archive.

        Raises:
            UsageError: they make no sense.
        """
        told = None if self.is_alone else read_rules(archive)
        own = from_json(told, "the rules of the archive") if told is not None else Rules()
        return added(own, self.typed(), [name for name in NUMBERS if getattr(self, name)])

    def typed(self) -> Rules:
        """The rules of the fields alone.

        Raises:
            UsageError: they make no sense.
        """
        numbers = {name: _number(name, text) for name in NUMBERS if (text := getattr(self, name))}
        return make(numbers.get("rtol", 0.0), numbers.get("atol", 0.0), numbers.get("ulps", 0), _lines(self.ignore), _lines(self.formats), self.any_order)

    def own_words(self) -> list[str]:
        """The fields as options of a command."""
        return [*words_of(self.typed()), *(["--no-rules"] if self.is_alone else [])]

    def words(self, rules: Rules) -> Sequence[str]:
        """The rules as one types them for a command."""
        return words_of(rules)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())


def _number(name: str, text: str) -> Any:
    try:
        return int(text) if name == "ulps" else float(text)
    except ValueError:
        raise UsageError(f"{name} is {text!r}", "it is no number", "write 1e-9" if name != "ulps" else "write a whole number") from None
