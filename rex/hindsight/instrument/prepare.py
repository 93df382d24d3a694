"""Compile a library's module with its training loops instrumented."""

from __future__ import annotations

import hashlib
import types
from typing import Any, Callable

from rex.hindsight.instrument.rewrite import plan_trainer, rewrite
from rex.hindsight.trainers import trainer_of


def trainer_preparer(session: Any) -> Callable[[str, str, Any], types.CodeType]:
    """What gives the code of a module that holds training loops, by name, path and the module about to run."""
    def prepare(name: str, path: str, module: types.ModuleType) -> types.CodeType:
        with open(path, "rb") as file:
            source = file.read()
        plain: types.CodeType = compile(source, path, "exec", dont_inherit=True)
        trainer = trainer_of(name)
        if trainer is None or not session.takes_trainer(name, path, source):
            return plain
        try:
            plan = plan_trainer(source, trainer, path)
            code = rewrite(plan, path)
        except Exception as error:     # whatever it is, the library works without
            session.note_unseen(path, f"{type(error).__name__}: {error}")
            return plain
        if not plan.loops:
            session.note_unseen(path, f"{' and '.join(trainer.functions)} has no loop there" + (
                f", as it has in {trainer.tested}" if trainer.tested else ""))
            return plain
        session.add_trainer(plan, module, code, plain)
        return code

    return prepare


def digest_of(source: bytes) -> str:
    """What the source of a module is known by."""
    return hashlib.sha256(source).hexdigest()


def version_of(module: str) -> str:
    """The distributions that a module may be of, with their versions."""
    from importlib import metadata   # takes a while, and few scripts have trainers
    top = module.partition(".")[0]
    names = [top] if _version(top) else metadata.packages_distributions().get(top, [])
    return " or ".join(f"{name} {_version(name)}" for name in names) or top


def _version(distribution: str) -> str:
    from importlib import metadata
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""
