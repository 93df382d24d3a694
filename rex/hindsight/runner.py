"""Runs the user's script in a process of its own."""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
import threading
import types
from typing import Any

from rex.hindsight.instrument.imports import Finder


def run_script(path: str, arguments: list[str], prepare: Any, prepare_trainer: Any, libraries: Any) -> int:
    """Run a script as `python SCRIPT ARGUMENTS` does; its exit status."""
    main = types.ModuleType("__main__")
    where = os.path.abspath(path)     # as Python tells it, unlike argv
    main.__dict__.update(__file__=where, __builtins__=__builtins__, __spec__=None, __cached__=None)
    sys.modules["__main__"] = main
    sys.argv[:] = [path, *arguments]
    top = os.path.dirname(os.path.realpath(path))
    sys.path[0] = top
    Finder((top,), prepare, prepare_trainer, libraries).install()
    gc.freeze()     # all of ours stays
    gc.enable()
    status = _execute(main, where, prepare)
    threading._shutdown()   # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    return status


def _execute(main: types.ModuleType, path: str, prepare: Any) -> int:
    try:
        try:
            code = prepare("__main__", path, main)
        except SyntaxError as error:
            sys.excepthook(SyntaxError, error.with_traceback(None), None)
            return 1
        exec(code, main.__dict__)
    except SystemExit as error:
        return _status_of(error)
    except BaseException as error:
        trace = _without_us(error.__traceback__)
        sys.excepthook(type(error), error.with_traceback(trace), trace)
        return 130 if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _without_us(trace: types.TracebackType | None) -> types.TracebackType | None:
    kept = []
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        if not name.startswith("rex.hindsight."):
            kept.append(trace)
        trace = trace.tb_next
    result = None
    for each in reversed(kept):
        result = types.TracebackType(result, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return result


def _status_of(error: SystemExit) -> int:
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xFF
    print(error.code, file=sys.stderr)
    return 1


def main() -> None:
    """Do the job that comes through a pipe: the command line has its kind, and the number of the pipe."""
    gc.disable()    # until the script begins
    kind, pipe = sys.argv[1:]
    if kind == "record":
        from rex.hindsight.record.recording import record as do
    else:
        from rex.hindsight.replay.worker import replay as do
    with open(int(pipe), "rb") as file:
        job = json.load(file)
    for name in job.get("unset", ()):
        os.environ.pop(name, None)
    status = do(job, run_script)
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        status = 120   # as Python's own
    os._exit(status)   # the script's own handlers ran; nothing of ours waits

