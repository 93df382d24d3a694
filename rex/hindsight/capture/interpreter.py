"""State of the interpreter and its library that no variable reaches: collector, signals, loggers, names of threads."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import sys
import threading
import weakref
from importlib import import_module
from _signal import getsignal   # type: ignore[import-not-found]   # signal's makes members of enumerations
from typing import Any, Callable, Container

from rex.hindsight.capture.graph import Shape, Snapshot
from rex.hindsight.capture.othershapes import opaque_node
from rex.hindsight.capture.shapes import Cannot, attribute_pairs, put_attributes

INTERPRETER, SIGNALS, LOGGERS, FINALIZERS = "<interpreter>", "<signals>", "<loggers>", "<finalizers>"   # no variables
_APART = 1 << 40      # numbers of finalizers from this one on are not the script's
_COMPILER = "torch._dynamo.", "torch._inductor.", "torch.library"     # modules whose finalizers belong to compiled code


class Interpreter:
    """Tells what a script has changed since it began, and puts it back."""

    def __init__(self) -> None:
        self._begun: dict[str, Any] = {}
        self._handlers: dict[int, Any] = {}
        self._loggers: list[Any] = []     # as read last

    def begin(self) -> None:
        """The script begins: what there is now is none of its doing."""
        self._begun, self._handlers = _settings(), _handlers()
        finalizer_numbers.begin()

    def pairs(self) -> list[tuple[str, Any]]:
        """What is not as it was when the script began, by name."""
        now, found = _settings(), list[tuple[str, Any]]()
        threads = now["threads"] - self._begun["threads"]   # ours are among them
        changed = {name: value for name, value in now.items() if value != self._begun[name]}
        if changed:
            found.append((INTERPRETER, {**changed, "threads": threads}))
        handlers = _handlers()
        if handlers != self._handlers:
            found.append((SIGNALS, {number: handler for number, handler in handlers.items()
                                    if handler != self._handlers.get(number)}))
        if finalizers := _finalizers():
            found.append((FINALIZERS, finalizers))
        logging = sys.modules.get("logging")
        if logging is not None and hasattr(logging, "Logger"):
            loggers = [each for each in _loggers(logging) if not _is_plain(each)]
            if loggers or logging.root.manager.disable:
                told = [logging.root.manager.disable, loggers]
                if told != self._loggers:    # else it is the very same, which was perhaps found to be so before
                    self._loggers = told
                found.append((LOGGERS, self._loggers))
        return found

    def check(self, saved: Snapshot) -> None:
        """Refuse a state whose objects have other finalizers than those that live.

        Raises:
            Cannot: they have.
        """
        if next((root.value for root in saved.roots if root.name == FINALIZERS), "") != _finalizers():
            raise Cannot("objects have other finalizers (weakref.finalize)")

    def bind(self, values: dict[str, Any], live: dict[str, Any]) -> None:
        """Set all as given, or as it was when the script began.

        Args:
            live: what `pairs` has just returned.
        """
        differs = {name for name in (INTERPRETER, SIGNALS, LOGGERS) if values.get(name) != live.get(name)}
        if INTERPRETER in differs:
            told = values.get(INTERPRETER, {})
            wanted = {**self._begun, **told, "threads": self._begun["threads"] + told.get("threads", 0)}
            now = _settings()
            for name, value in wanted.items():
                if value != now[name]:
                    _SET[name](value)
        if SIGNALS in differs:
            handlers, held = {**self._handlers, **values.get(SIGNALS, {})}, _handlers()
            for number, handler in handlers.items():
                if held.get(number) != handler and handler is not None:
                    signal.signal(number, handler)
        if LOGGERS in differs:
            import logging     # it takes a while, and most have no loggers
            level, loggers = values.get(LOGGERS, [0, []])
            logging.disable(level)
            told_of = set(map(id, loggers))
            for each in _loggers(logging):
                if id(each) not in told_of and not _is_plain(each):
                    _make_plain(each)


def is_ours(name: str) -> bool:
    """Whether a root is one of these."""
    return name in (INTERPRETER, SIGNALS, LOGGERS, FINALIZERS)


def _settings() -> dict[str, Any]:
    return {"collects": gc.isenabled(), "thresholds": gc.get_threshold(), "switch_us": round(sys.getswitchinterval() * 1e6),
            "umask": _umask(), "threads": _threads_named(), "loaders": _loaders_handle()}


def _finalizers() -> str:
    """Numbers of the script's finalizers whose objects live, in the order in which they were made."""
    registry: dict[Any, Any] = weakref.finalize._registry   # type: ignore[attr-defined]
    finalizers = list(registry)      # which hold nothing themselves
    if not _known_finalizers or finalizers != _known_finalizers[0]:     # to sort their numbers takes long
        _known_finalizers[:] = finalizers, " ".join(
            map(str, sorted(info.index for info in list(registry.values()) if info.index < _APART)))
    return str(_known_finalizers[1])


class FinalizerNumbers:
    """Numbers finalizers as they are made. Those of added statements, other threads and torch's compiler are numbered apart.

    Attributes:
        is_apart: an added statement runs.
    """

    def __init__(self) -> None:
        self.is_apart = False
        self._numbers: Any = None
        self._apart, self._thread = itertools.count(_APART), 0

    def begin(self) -> None:
        """Number what this thread makes from now on."""
        finalize: Any = weakref.finalize
        self._thread = threading.get_ident()
        if finalize._index_iter is not self:
            self._numbers, finalize._index_iter = finalize._index_iter, self

    def __next__(self) -> int:
        made_in = str(sys._getframe(2).f_globals.get("__name__"))     # beyond `finalize.__init__`
        is_apart = self.is_apart or threading.get_ident() != self._thread or made_in.startswith(_COMPILER)
        return next(self._apart if is_apart else self._numbers)


finalizer_numbers = FinalizerNumbers()
_known_finalizers: list[Any] = []     # what there was last, and what was reported about it


def _umask() -> int:
    # To ask by os.umask is to set it, for the writer's thread too.
    with open("/proc/self/status", "rb", buffering=0) as file:
        return int(file.read(200).partition(b"Umask:")[2].split(None, 1)[0], 8)


def _threads_named() -> int:
    """How many names of threads were made up: the next one has a number more."""
    counter = getattr(getattr(threading, "_counter", None), "__self__", None)
    return int(repr(counter)[len("count("):-1]) if isinstance(counter, itertools.count) else 0


def give_back_names(former: Container[int]) -> None:
    """Let the next thread have the name that it would have without those that began since.

    Args:
        former: idents of those that ran before.
    """
    made_up = [each for each in threading.enumerate() if each.ident not in former and each.name.startswith("Thread-")]
    _name_threads(_threads_named() - len(made_up))


def _name_threads(count: int) -> None:
    if count:
        threading._counter = itertools.count(count).__next__   # type: ignore[attr-defined]


def _loaders_handle() -> bool:
    """Whether torch's loaders have set their handler of SIGCHLD, which they do once: else they would put another around it."""
    return bool(getattr(sys.modules.get(_LOADERS), _HANDLES, False))


def _let_loaders_handle(is_set: bool) -> None:
    setattr(import_module(_LOADERS), _HANDLES, is_set)


_LOADERS, _HANDLES = "torch.utils.data._utils.signal_handling", "_SIGCHLD_handler_set"
_SET: dict[str, Callable[[Any], Any]] = {
    "collects": lambda is_on: gc.enable() if is_on else gc.disable(), "thresholds": lambda each: gc.set_threshold(*each),
    "switch_us": lambda us: sys.setswitchinterval((us + 0.5) * 1e-6), "umask": os.umask, "threads": _name_threads,
    "loaders": _let_loaders_handle}


def _handlers() -> dict[int, Any]:
    """What is done at each signal, as far as Python did it; ours stand for the default."""
    found = {}
    for number in _NUMBERS:
        handler = getsignal(number)
        if type(handler) is not int and getattr(handler, "__module__", "").startswith("rex.hindsight."):
            handler = 0
        found[number] = handler
    return found


_NUMBERS = sorted(map(int, signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}))


def _loggers(logging: Any) -> list[Any]:
    known = logging.root.manager.loggerDict
    found = list(known.items())
    if not _known_loggers or found != _known_loggers[0]:
        _known_loggers[:] = found, [logging.root, *[each for _, each in sorted(found) if isinstance(each, logging.Logger)]]
    return list(_known_loggers[1])


_known_loggers: list[Any] = []        # what was found last, and the loggers of it


def _is_plain(logger: Any) -> bool:
    """Whether a logger is as it was made."""
    return not (logger.level != (30 if logger.parent is None else 0) or logger.handlers or logger.filters or logger.disabled
                or not logger.propagate or len(vars(logger)) > len(_ATTRIBUTES))


def _make_plain(logger: Any) -> None:
    _set_level(logger, 30 if logger.parent is None else 0)     # a warning
    logger.handlers, logger.filters, logger.disabled, logger.propagate = [], [], False, True
    put_attributes(logger, {}, _put_beside(logger))


def _set_level(logger: Any, level: int) -> None:
    if logger.level != level:     # to set it makes all loggers forget what they are enabled for
        sys.modules["logging"].Logger.setLevel(logger, level)


_ATTRIBUTES = frozenset(("filters", "name", "level", "parent", "propagate", "handlers", "disabled", "_cache", "manager"))


def _put_beside(logger: Any) -> dict[str, Any]:
    """Attributes that a program gave to a logger."""
    return {name: item for name, item in vars(logger).items() if name not in _ATTRIBUTES}


class LoggerShape(Shape):
    """Loggers: found by their names, with their levels, filters, handlers and what a program put beside."""

    tag = "logger"

    def save(self, walk: Any, value: Any) -> tuple[Any, ...]:
        own = _put_beside(value)
        return ("logger", value.name, value.level, value.disabled, value.propagate, walk.refs(value.filters),
                walk.refs(value.handlers), walk.refs(own), walk.refs(own.values()))

    def pairs(self, node: Any, live: Any) -> Any:
        return [*zip(node[5], live.filters), *zip(node[6], live.handlers), *attribute_pairs(node[7], node[8], vars(live))]

    def fits(self, node: Any, live: Any) -> bool:
        return bool(live.name == node[1])

    def make(self, build: Any, node: Any) -> Any:
        import logging     # by a loop that was skipped, perhaps
        return logging.getLogger(None if node[1] == "root" else node[1])

    def fill(self, build: Any, node: Any, value: Any) -> None:
        _set_level(value, node[2])
        value.disabled, value.propagate = node[3:5]
        value.filters[:], value.handlers[:] = build.values(node[5]), build.values(node[6])
        put_attributes(value, dict(zip(node[7], build.values(node[8]))), _put_beside(value))


class ThreadShape(Shape):
    """Threads that have not begun, or have ended: those that run are elsewhere."""

    tag = "thread"

    def save(self, walk: Any, value: Any) -> tuple[Any, ...]:
        if value.is_alive():
            return opaque_node(walk, value, "a running thread")
        own = _own(value)
        return ("thread", walk.ref(type(value)), value.ident is not None, value.name, value.daemon, walk.refs(own),
                walk.refs(own.values()))

    def pairs(self, node: Any, live: Any) -> Any:
        return [(node[1], type(live)), *attribute_pairs(node[5], node[6], _own(live))]

    def fits(self, node: Any, live: Any) -> bool:
        return (live.ident is not None, live.name, live.daemon) == node[2:5] and not live.is_alive()

    def make(self, build: Any, node: Any) -> Any:
        kind = build.get(node[1])
        made = kind.__new__(kind)
        threading.Thread.__init__(made, name=node[3], daemon=node[4])
        if node[2]:   # one that has ended: nothing else can be joined like it
            made.run = int
            made.start()
            made.join()
            del made.run
        return made

    def fill(self, build: Any, node: Any, value: Any) -> None:
        put_attributes(value, dict(zip(node[5], build.values(node[6]))), _own(value))


_ASKED = frozenset(("_target", "_args", "_kwargs"))


def _own(thread: Any) -> dict[str, Any]:
    """What a thread is to do, and the attributes that a program gave to it."""
    return {name: item for name, item in vars(thread).items() if name in _ASKED or not name.startswith("_")}
