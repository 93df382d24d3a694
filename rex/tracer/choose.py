"""Which engine runs: rex-engine where it was built, else the reference engine."""

from __future__ import annotations

import os

from rex.errors import UsageError
from rex.hints import Protocol
from rex.tracer import native
from rex.tracer.plan import Plan, Report

NATIVE, REFERENCE = "native", "reference"


class Engine(Protocol):
    """A tracer: runs a plan to its end and reports."""

    def __call__(self, plan: Plan, stdin: int | None = None, stdout: int | None = None,
                 stderr: int | None = None) -> Report: ...


def _reference() -> Engine:
    from rex.tracer import reference
    return reference.run


def chosen_name() -> str:
    """native or reference, as REX_ENGINE asks or as is built.

    Raises:
        UsageError: REX_ENGINE names no engine, or one that was not built.
    """
    wanted = os.environ.get("REX_ENGINE", "")
    if wanted not in ("", NATIVE, REFERENCE):
        raise UsageError(f"REX_ENGINE={wanted} names no engine", "", "use native or reference")
    if wanted == NATIVE and not native.is_built():
        raise UsageError("the native engine is not built", "no C compiler at installation",
                         "install gcc and install Rex again")
    return wanted or (NATIVE if native.is_built() else REFERENCE)


def choose() -> tuple[str, Engine]:
    """The name of the engine in use, and the engine."""
    name = chosen_name()
    return name, native.run if name == NATIVE else _reference()


def start(plan: Plan, stdin: int | None = None, stdout: int | None = None,
          stderr: int | None = None, others: tuple[int, ...] = ()) -> native.Started:
    """Start a live plan; only the native engine runs those.

    Args:
        others: further descriptors that it gets in a sandbox too; outside it gets all inheritable ones.
    Raises:
        UsageError: it was not built, or REX_ENGINE asks for the other.
    """
    if chosen_name() != NATIVE:
        raise UsageError("new experiments need the native engine",
                         "it was not built at installation" if not native.is_built() else
                         "REX_ENGINE asks for the reference engine",
                         "install gcc and install Rex again" if not native.is_built() else
                         "unset REX_ENGINE")
    return native.Started(plan, stdin, stdout, stderr, others)


def slow_engine_note() -> str:
    """What to tell a user who has the slow engine and did not choose it; "" for anybody else."""
    if os.environ.get("REX_ENGINE") or native.is_built():
        return ""
    return "the slow reference engine was used: the native one is not installed; see: rex doctor"


def describe_engines() -> str:
    """One line for `rex --version`."""
    name = chosen_name()
    if name == NATIVE:
        return "native engine"
    return "reference engine (slow, without threads: " + ("asked for by REX_ENGINE" if native.is_built() else
                                         "the native one was not built at installation") + ")"
