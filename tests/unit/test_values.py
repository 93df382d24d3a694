"""Data classes: as those of the standard library, wherever both can be asked."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any, Callable

import pytest

from rex import values
from rex.archive import Content, FileState


def made_by(dataclass: Any, field: Any) -> list[Any]:
    @dataclass(frozen=True, slots=True)
    class Small:
        """A value with slots."""

        name: str
        size: int = 3
        facts: dict[str, int] = field(default_factory=dict, hash=False)

    @dataclass
    class Open:
        """A value whose fields are set later."""

        names: list[str] = field(default_factory=list)
        told: Any = None

        @property
        def count(self) -> int:
            return len(self.names)

    @dataclass(eq=False, slots=True)
    class Same:
        """A value that is equal to itself alone."""

        names: list[str] = field(default_factory=list)

    return [Small, Open, Same]


QUESTIONS: list[Callable[[Any, Any], Any]] = [
    lambda small, *_: repr(small("a", 4)).rpartition(".")[2],
    lambda small, *_: small("a") == small("a", 3, {}),
    lambda small, *_: small("a") == small("b"),
    lambda small, *_: small("a") == ("a", 3, {}),
    lambda small, *_: hash(small("a", facts={"x": 1})) == hash(small("a")),
    lambda small, *_: hash(small("a")) == hash(small("b")),
    lambda small, *_: small.__slots__,
    lambda small, *_: dataclasses.asdict(dataclasses.replace(small("a"), size=5)),
    lambda small, *_: [(f.name, f.default, f.type) for f in dataclasses.fields(small)][:2],
    lambda small, *_: dataclasses.is_dataclass(small),
    lambda small, *_: small(),
    lambda small, *_: small("a", other=1),
    lambda _, open_, *__: vars(open_()),
    lambda _, open_, *__: open_().names is open_().names,
    lambda _, open_, *__: open_(["x"]).count,
    lambda _, open_, *__: hash(open_()),
    lambda _, open_, *__: hasattr(open_, "names"),
    lambda *kinds: (kinds[2]() == kinds[2](), (value := kinds[2]()) == value, hash(value) == object.__hash__(value)),
    lambda *kinds: repr(kinds[2](["x"])).rpartition(".")[2],
]


@pytest.mark.parametrize("question", QUESTIONS)
def test_they_answer_as_those_of_the_standard_library(question: Callable[[Any, Any], Any]) -> None:
    def answer(dataclass: Any, field: Any) -> Any:
        try:
            return question(*made_by(dataclass, field))
        except TypeError:
            return TypeError

    assert answer(values.dataclass, values.field) == answer(dataclasses.dataclass, dataclasses.field)


def test_one_with_other_fields() -> None:
    state = FileState("file", content=Content("ab", 1))
    changed = values.replace(state, size=7)
    assert (changed.size, changed.content, state.size) == (7, Content("ab", 1), 0)
    with pytest.raises(TypeError):
        values.replace(state, nothing=1)


def test_they_travel_to_other_processes() -> None:
    state = FileState("file", content=Content("ab", 1), xattrs={"user.a": "b"})
    assert pickle.loads(pickle.dumps(state)) == state
