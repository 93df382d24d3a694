"""Loggers that a loop leaves alone are not restored one by one; those that it changes are."""

from __future__ import annotations

import logging
from typing import Any, Callable, Iterator

import pytest

from rex.hindsight.graph import Snapshot, walk_roots
from rex.hindsight.interpreter import LOGGERS, Interpreter
from rex.hindsight.kinds import Shapes
from rex.hindsight.memory import Hasher
from rex.hindsight.restore import restore
from rex.hindsight.untouched import Untouched
from rex.hindsight.usercode import UserCode

SHAPES = Shapes(UserCode())


@pytest.fixture
def logger(monkeypatch: pytest.MonkeyPatch) -> Iterator[logging.Logger]:
    logger = logging.getLogger("rex-test-untouched")
    other = logging.getLogger("rex-test-untouched.other")
    monkeypatch.setattr("rex.hindsight.interpreter._loggers", lambda _: [logger, other])    # not those of the tests around
    logger.setLevel(logging.INFO)
    handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.addHandler(handler)
    logger.addFilter(logging.Filter("one"))
    yield logger
    logger.handlers.clear(), logger.filters.clear()
    vars(logger).pop("beside", None)
    logger.setLevel(logging.NOTSET)
    logging.disable(0)


class Loggers:
    """The loggers as one saved state, restored over and over."""

    def __init__(self) -> None:
        self.interpreter, self.untouched = Interpreter(), Untouched()
        self.interpreter.begin()
        self.saved = self.state()

    def state(self) -> Snapshot:
        saved = walk_roots(SHAPES, Hasher(), self.pairs())
        saved.digests()
        return saved

    def pairs(self) -> list[tuple[str, Any]]:
        return [(name, value) for name, value in self.interpreter.pairs() if name == LOGGERS]

    def is_seen_unchanged(self) -> bool:
        """What a comparison finds."""
        live = walk_roots(SHAPES, Hasher(), self.pairs(), self.untouched.known)
        assert live.digests() == self.state().digests()
        return live.digests() == self.saved.digests()

    def restore(self) -> int:
        """How many objects were left alone."""
        live, whole = self.pairs(), self.untouched.objects(self.saved)
        told = {name: [value[0], [*value[1]]] for name, value in live}
        values, build = restore(self.saved, SHAPES, live, Hasher(), whole)   # type: ignore[arg-type]   # they have no memory
        self.interpreter.bind(values, told)
        build.finish()
        self.untouched.note(self.saved, build.objects)
        assert self.state().digests() == self.saved.digests()
        return len(whole)


def replaces_formatter(logger: logging.Logger) -> None:
    logger.handlers[0].setFormatter(logging.Formatter("%(levelname)s"))


def hides_moved_item(logger: logging.Logger) -> None:
    logger.handlers.append(logger.filters.pop())     # type: ignore[arg-type]   # all that they hold together is the same


CHANGES: list[Callable[[logging.Logger], object]] = [
    lambda logger: logger.setLevel(logging.DEBUG), lambda logger: setattr(logger.handlers[0], "level", 7),
    lambda logger: logger.filters.clear(), lambda logger: setattr(logger, "beside", [1]),
    lambda logger: setattr(logger.filters[0], "name", "two"), lambda logger: logger.handlers.append(logging.Handler()),
    lambda logger: setattr(logger.filters[0], "__class__", type("Other", (logging.Filter,), {})),
    lambda logger: setattr(logger, "disabled", True), lambda logger: logging.disable(30), replaces_formatter, hides_moved_item,
    lambda logger: vars(logger.filters[0]).update(nlem=vars(logger.filters[0]).pop("nlen"))]


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_changed_is_restored(logger: logging.Logger, change: Callable[[logging.Logger], object]) -> None:
    loggers = Loggers()
    assert loggers.restore() == 0
    assert loggers.restore() == len(loggers.saved.nodes()) > 4
    assert loggers.is_seen_unchanged()
    change(logger)
    assert not loggers.is_seen_unchanged()
    loggers.restore()
    assert logger.isEnabledFor(logging.INFO) and not logger.isEnabledFor(logging.DEBUG)
    assert loggers.restore() == len(loggers.saved.nodes())


def test_other_loggers_are_told_of(logger: logging.Logger) -> None:
    loggers = Loggers()
    loggers.restore()
    other = logging.getLogger("rex-test-untouched.other")
    other.setLevel(logging.ERROR)
    assert not loggers.is_seen_unchanged()
    assert loggers.restore()
    assert other.level == logging.NOTSET and other.isEnabledFor(logging.INFO)


def test_what_refers_to_other_roots_is_restored_one_by_one(logger: logging.Logger) -> None:
    shared = [1]
    vars(logger)["beside"] = shared
    interpreter, untouched = Interpreter(), Untouched()
    interpreter.begin()
    live = [("shared", shared), *((name, value) for name, value in interpreter.pairs() if name == LOGGERS)]
    saved = walk_roots(SHAPES, Hasher(), live)
    saved.digests()
    _, build = restore(saved, SHAPES, live, Hasher())   # type: ignore[arg-type]
    untouched.note(saved, build.objects)
    assert not untouched.objects(saved) and not untouched.known(*live[1])


def test_a_logger_that_a_variable_holds_now_is_looked_at(logger: logging.Logger) -> None:
    loggers = Loggers()
    loggers.restore()
    pairs = [("held", logger.handlers[0]), *loggers.pairs()]
    plain, seen = (walk_roots(SHAPES, Hasher(), pairs, *known).digests() for known in ((), (loggers.untouched.known,)))
    assert plain == seen
