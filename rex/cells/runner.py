"""Runs the cells of a notebook or script in one ordinary process, and marks where they begin and end.

    python runner.py NOTEBOOK.ipynb|SCRIPT.py [ARG...]        from the first cell to the last
    python runner.py --serve                                  what a host sends (serving.py)

Runs inside recorded experiments, as their first program: it imports nothing of Rex. A border is
a question for a file that does not exist, /.rex-cell/begin/N or /.rex-cell/end/N: one cheap call,
which tracers log. What cells showed and took goes, one JSON line per cell, to descriptor 1000,
a memory file of the recorder; where that is not open, in a plain replay, it goes nowhere.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from typing import Any, Callable, NoReturn

REPORT = 1000


def _load_room() -> Any:
    """Our neighbours, under a name that no program has."""
    here = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location(
        "_rex_cells", os.path.join(here, "__init__.py"), submodule_search_locations=[here])
    assert spec and spec.loader
    sys.modules["_rex_cells"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _processor_s() -> float:
    """Processor time of this process and of the children that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class Session:
    """The shell, and how cells are run in it."""

    def __init__(self, directory: str) -> None:
        sys.dont_write_bytecode = True
        empty = os.open(os.devnull, os.O_RDONLY)      # what programs that cells start find there
        os.dup2(empty, 0)
        os.close(empty)
        sys.path[0] = directory
        _load_room()
        from _rex_cells import observe   # type: ignore[import-not-found]
        place = os.path.realpath(directory or os.getcwd())
        observe.list_packages_quietly(place)
        observe.find_precisely([directory or os.getcwd()] + [p for p in sys.path if p.endswith("-packages")])
        from _rex_cells import forking, loops, serving, shell, split, widgets, writes   # all, so that the archive has them
        self.observe, self.forking, self.splitter, self.serving = observe, forking, split, serving
        self._kinds, self.pages = shell, writes.Pages()
        self.shell = shell.make_shell()
        self.script = shell.ScriptRunner(self.shell)
        self.widgets = widgets.States()
        widgets.watch(self.shell)
        observe.install(self.shell.user_ns)
        forking.note_inherited()
        forking.keep_identity()
        self._leave: Callable[[int], None] | None = None     # while a cell runs
        self._process = 0
        self._report_abrupt_end()
        loops.watch()

    def begin(self, kind: str, path: str, arguments: list[str]) -> None:
        """Become this program: its name, its arguments."""
        names = self.shell.user_ns
        names["__name__"] = "__main__"
        if kind == self.splitter.SCRIPT:
            names["__file__"] = path
            self.script.begin()
        list.__setitem__(sys.argv, slice(None), [path, *arguments])
        if kind == self.splitter.NOTEBOOK:
            os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")

    def _report_abrupt_end(self) -> None:
        """Have a cell that ends this process by `os._exit` report what it did."""
        plain = os._exit

        def leave(status: int) -> NoReturn:
            if self._leave is not None and self.forking.process_id() == self._process:
                self._leave(status)
            plain(status)

        os._exit = leave     # type: ignore[assignment]

    def run(self, number: int, kind: str, path: str, data: bytes, cell: Any,
            leave: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
        """Run one cell; what it showed, read and took.

        Args:
            leave: is given that if the cell ends the process.
        """
        observe = self.observe
        os.access(f"{observe.BORDER}begin/{number}", os.F_OK)
        observe.notes.is_on = True
        self.shell.outputs.begin(number)
        began, used = observe.clock_s(), _processor_s()

        def end(how: str, status: int) -> dict[str, Any]:
            return self._ended(number, how, status, observe.clock_s() - began, _processor_s() - used)

        self._process, self._leave = self.forking.process_id(), lambda status: leave(end(self._kinds.EXIT, status))
        if kind == self.splitter.NOTEBOOK:
            how, status = self._kinds.run_notebook_cell(self.shell, cell.source, cell.may_raise)
        else:
            how, status = self.script.run(path, data, cell.first, cell.last)
        return end(how, status)

    def _ended(self, number: int, how: str, status: int, seconds: float, used: float) -> dict[str, Any]:
        """What a cell that ended showed, read and took."""
        observe, self._leave = self.observe, None
        observe.notes.is_on = False
        os.access(f"{observe.BORDER}end/{number}", os.F_OK)
        sys.__stdout__.flush()
        sys.__stderr__.flush()
        count = self.shell.cell_count or None
        return {"cell": number, "how": how, "status": status, "seconds": seconds, "cpu_seconds": used,
                "execution_count": count, "outputs": self.shell.outputs.take(), "updates": self.shell.outputs.take_updates(),
                **observe.notes.take()}

    def weigh(self) -> dict[str, Any]:
        """The size of the state, what was written since the last time, and why it cannot be forked if it cannot."""
        self.forking.pause()
        maps = self.forking.read_maps()
        reason = self.forking.reason_against(maps)
        if not reason and not self.forking.survives_fork():
            reason = "it has other threads"
        with open("/proc/self/statm", encoding="ascii") as file:
            resident, shared = map(int, file.read().split()[1:3])
        size = (resident - shared) * os.sysconf("SC_PAGE_SIZE")
        return {"size_bytes": size, "written_bytes": min(size, self.pages.written_bytes(maps)), "unforkable": reason}


def _report(line: dict[str, Any]) -> None:
    data = json.dumps(line).encode("utf-8", "surrogatepass") + b"\n"
    try:
        while data:
            data = data[os.write(REPORT, data):]
    except OSError:      # nobody listens
        pass


def run_all(path: str, arguments: list[str]) -> int:
    """Run a program from its first cell to its last; its exit status."""
    session = Session("" if path.endswith(".ipynb") else os.path.dirname(os.path.abspath(path)))
    with open(path, "rb") as file:
        data = file.read()
    kind, cells = session.splitter.split(path, data)
    session.begin(kind, path, arguments)
    _report({"weight": session.weigh()})
    status, how = 0, "ok"
    for number, cell in enumerate(cells):
        line = session.run(number, kind, path, data, cell, lambda line: _report({**line, **session.weigh()}))
        how, status = line["how"], line["status"]
        _report({**line, **session.weigh()})
        if how != "ok":
            break
    if how == "error":
        return status or 1
    return status


def main() -> None:
    """Run the program that the command line names, or with `--serve` what a host sends."""
    words = sys.argv[1:]
    if words == ["--serve"]:
        session = Session("")
        session.serving.serve(session)
        return
    sys.exit(run_all(words[0], words[1:]))


if __name__ == "__main__":
    main()
