"""Classes come back without running what their statement ran: registries do not grow."""

from __future__ import annotations

import pytest

pytest.importorskip("cloudpickle")

from .sessions import Session  # noqa: E402

REGISTRIES = """
import abc
class Base:
    subs = []
    def __init_subclass__(cls, **named):
        Base.subs.append(cls.__name__)
class Meta(type):
    made = {}
    def __new__(meta, name, bases, space):
        made = super().__new__(meta, name, bases, space)
        Meta.made[name] = Meta.made.get(name, 0) + 1
        return made
    def __init__(cls, name, bases, space):
        super().__init__(name, bases, space)
        cls.number = len(Meta.made)
class AbstractMeta(abc.ABCMeta):
    names = []
    def __init__(cls, name, bases, space):
        super().__init__(name, bases, space)
        AbstractMeta.names.append(name)
"""
CLASSES = """
class A(Base):
    pass
class B(metaclass=Meta):
    pass
class C(metaclass=AbstractMeta):
    __slots__ = ("x",)
    @abc.abstractmethod
    def must(self): ...
"""


def test_registries_are_those_of_the_state() -> None:
    session = Session(check_loads=False)
    session.run(REGISTRIES)
    node = session.run(CLASSES).node
    later = session.run(CLASSES.replace("pass", "v = 2")).node
    for target in (node, later, node):
        session.checkout(target)
        count = 1 if target == node else 2
        assert session["Base"].subs == ["A"] * count and session["Meta"].made == {"B": count}
        assert session["AbstractMeta"].names == ["C"] * count and session["B"].number == 1
        assert hasattr(session["A"], "v") == hasattr(session["B"], "v") == (target == later)
        with pytest.raises(TypeError, match="abstract"):
            session["C"]()
    session.run("class D(Base): pass")
    assert session["Base"].subs[-1] == "D"     # new classes are noted as ever


def test_a_value_of_the_past_leaves_registries_alone() -> None:
    from rex.state import values_at
    session = Session(check_loads=False)
    session.run(REGISTRIES)
    node = session.run(CLASSES).node
    session.run("del A, B")
    assert values_at(session.tracker, node, ["A"])["A"].__name__ == "A"
    assert session["Base"].subs == ["A"] and session["Meta"].made == {"B": 1}
