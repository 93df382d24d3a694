"""An InteractiveShell in an ordinary process; what cells show is kept as nbformat outputs.

Runs inside recorded experiments: it imports nothing of Rex.
"""

from __future__ import annotations

import ast
import base64
import builtins
import io
import linecache
import subprocess
import sys
import traceback
from types import CodeType
from typing import Any, Iterable, TextIO

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

NO_INPUT = "standard input cannot be answered: cells run unattended when versions are replayed"


class Outputs:
    """The outputs of the current cell, in nbformat's form, shown as they come as well."""

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self.updates: list[dict[str, Any]] = []      # of displays of earlier cells
        self._cell = 0
        self._displays: dict[str, list[tuple[int, int]]] = {}    # cell and place, by display id
        self._around: list[list[dict[str, Any]]] = []            # what was shown outside of Output widgets

    def begin(self, cell: int) -> None:
        """What comes now is of this cell."""
        self._cell = cell

    def note_display(self, display_id: str) -> None:
        """The last output can be updated by this id; one in a widget cannot."""
        if self._around:
            return
        self._displays.setdefault(display_id, []).append((self._cell, len(self.items) - 1))

    def update(self, display_id: str, data: dict[str, Any], metadata: dict[str, Any] | None) -> None:
        """Replace what all displays of an id show, in whatever cell they are."""
        shown = {"data": _encoded(data), "metadata": metadata or {}}
        for cell, place in self._displays.get(display_id, ()):
            if cell == self._cell:
                [*self._around, self.items][0][place].update(shown)
            else:
                self.updates.append({"cell": cell, "place": place, **shown})

    def stream(self, name: str, text: str) -> None:
        """Add text of standard output or error; it continues the last output if that has the same name."""
        last = self.items[-1] if self.items else {}
        if last.get("output_type") == "stream" and last["name"] == name:
            last["pieces"].append(text)
        else:
            self.items.append({"output_type": "stream", "name": name, "pieces": [text]})

    def rich(self, kind: str, data: dict[str, Any], metadata: dict[str, Any] | None, **more: Any) -> None:
        """Add an output of a nbformat kind, with its data by MIME type."""
        self.items.append({"output_type": kind, "data": _encoded(data), "metadata": metadata or {}, **more})

    def clear(self) -> None:
        """Drop the outputs of the cell so far."""
        self.items.clear()
        if self._around:
            return
        for places in self._displays.values():
            places[:] = [each for each in places if each[0] != self._cell]

    def enter(self, shown: Iterable[dict[str, Any]]) -> None:
        """What comes now is shown in a widget, behind what is shown there."""
        self._around.append(self.items)
        self.items = [{**{key: value for key, value in each.items() if key != "text"}, "pieces": [each["text"]]}
                      if "text" in each else dict(each) for each in shown]

    def leave(self) -> list[dict[str, Any]]:
        """What the widget shows; what comes now is shown around it."""
        found, self.items = self.take(), self._around.pop()
        return found

    def take(self) -> list[dict[str, Any]]:
        """Return the outputs in nbformat's form, and forget them."""
        found, self.items = self.items, []
        for item in found:
            if "pieces" in item:
                item["text"] = "".join(item.pop("pieces"))
        return found

    def take_updates(self) -> list[dict[str, Any]]:
        """Return the updates of earlier displays, and forget them."""
        found, self.updates = self.updates, []
        return found


def _encoded(data: dict[str, Any]) -> dict[str, Any]:
    return {mime: base64.b64encode(value).decode() if isinstance(value, bytes) else value for mime, value in data.items()}


class _Bytes(io.RawIOBase):
    """What a program writes to sys.stdout.buffer."""

    def __init__(self, tee: "Tee") -> None:
        self._tee = tee

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        text = bytes(data).decode("utf-8", "replace")
        self._tee.write(text)
        return len(data)


class Tee(io.TextIOBase):
    """A standard stream that also goes into the outputs."""

    def __init__(self, name: str, under: TextIO, outputs: Outputs) -> None:
        self._name, self._under, self._outputs = name, under, outputs
        self.buffer = _Bytes(self)

    @property
    def encoding(self) -> str:   # type: ignore[override]
        """The encoding of the text: utf-8."""
        return "utf-8"

    @property
    def name(self) -> str:
        """`<stdout>` or `<stderr>`."""
        return f"<{self._name}>"

    def writable(self) -> bool:
        """It can be written."""
        return True

    def write(self, text: str) -> int:
        """Write to the outputs and to the stream below; return the number of characters."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if text:
            self._outputs.stream(self._name, text)
            self._under.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the stream below."""
        self._under.flush()

    def isatty(self) -> bool:
        """It is no terminal."""
        return False

    def fileno(self) -> int:
        """The descriptor of the stream below."""
        return self._under.fileno()


class NoInput(io.TextIOBase):
    """A standard input that says why there is none."""

    def __init__(self, under: TextIO) -> None:
        self._under = under

    @property
    def buffer(self) -> "NoInput":
        """The binary stream: refused in the same way."""
        return self

    def readable(self) -> bool:
        """It looks readable; a read raises EOFError."""
        return True

    def read(self, *_: Any) -> Any:
        """Refuse to read."""
        raise EOFError(NO_INPUT)

    readline = readlines = read1 = readinto = __next__ = read   # type: ignore[assignment]

    def fileno(self) -> int:
        """The descriptor of the stream below."""
        return self._under.fileno()


class _Hook(DisplayHook):
    """Keeps the value of a cell's last expression as execute_result."""

    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: dict[str, Any], md_dict: Any = None) -> None:
        shell = self.shell
        shell.outputs.rich("execute_result", format_dict, md_dict,
                           execution_count=shell.cell_count)
        shell.real_stdout.write(str(format_dict.get("text/plain", "")) + "\n")


class _Publisher(DisplayPublisher):
    """Keeps what display() shows."""

    def publish(self, data: Any, metadata: Any = None, source: Any = None, *,
                transient: Any = None, update: bool = False, **kwargs: Any) -> None:
        outputs, display_id = self.shell.outputs, (transient or {}).get("display_id")
        if update:
            outputs.update(display_id, data, metadata)
            return
        outputs.rich("display_data", data, metadata)
        if display_id is not None:
            outputs.note_display(display_id)
        self.shell.real_stdout.write(str(data.get("text/plain", "")) + "\n")

    def clear_output(self, wait: bool = False) -> None:
        self.shell.outputs.clear()


class CellShell(InteractiveShell):
    """IPython without history, files of its own, threads, prompts or colours."""

    outputs: Any = None
    real_stdout: Any = None
    cell_count = 0                       # the number of the cell that runs

    def init_ipython_dir(self, ipython_dir: str) -> None:   # no file of the user's is part of a version
        """Use no directory of IPython."""
        self.ipython_dir = ""

    def _ipython_dir_changed(self, change: Any) -> None:
        pass

    def init_profile_dir(self, profile_dir: Any) -> None:
        """Use no profile."""

    def ask_exit(self) -> None:
        """`exit` and `quit`: the notebook ends after this cell."""
        self.exit_now = True

    def enable_gui(self, gui: Any = None) -> None:
        """Start no event loop of a window system."""

    def system(self, cmd: str) -> None:
        """!command: run by the shell, its output kept."""
        done = subprocess.run(self.var_expand(cmd, depth=1), shell=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        sys.stdout.write(done.stdout.decode("utf-8", "replace"))
        self.user_ns["_exit_code"] = done.returncode

    system_raw = system_piped = system

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        self.outputs.items.append({"output_type": "error", "ename": etype.__name__,
                                   "evalue": str(evalue), "traceback": list(stb)})
        sys.__stderr__.write("\n".join(stb) + "\n")


def _refuse_input(prompt: object = "") -> str:
    raise EOFError(NO_INPUT)


def make_shell() -> CellShell:
    """The shell of this process."""
    config = Config()
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    config.InteractiveShell.colors = "nocolor"
    config.InteractiveShell.xmode = "Context"
    config.InteractiveShell.display_page = True
    shell = CellShell.instance(config=config, displayhook_class=_Hook, display_pub_class=_Publisher)
    shell.outputs = Outputs()
    shell.real_stdout = sys.stdout
    sys.stdout = Tee("stdout", sys.__stdout__, shell.outputs)   # type: ignore[assignment]
    sys.stderr = Tee("stderr", sys.__stderr__, shell.outputs)   # type: ignore[assignment]
    builtins.input = _refuse_input
    sys.stdin = NoInput(sys.__stdin__)   # type: ignore[assignment]
    return shell


# ------------------------------------------------------------------ running

OK, ERROR, EXIT = "ok", "error", "exit"


def run_notebook_cell(shell: CellShell, source: str, may_raise: bool) -> tuple[str, int]:
    """Run a cell's text as a notebook does; how it ended, and the exit status that it asks for."""
    shell.cell_count = shell.execution_count
    result = shell.run_cell(source, store_history=True)
    shell.real_stdout.flush()
    error = result.error_before_exec or result.error_in_exec
    if isinstance(error, SystemExit) and not may_raise:
        return EXIT, _exit_status(error)
    if shell.exit_now:
        return EXIT, 0
    return (ERROR, 1) if error is not None and not may_raise else (OK, 0)


class ScriptRunner:
    """Runs top-level statements of a script as Python would have run the whole."""

    def __init__(self, shell: CellShell) -> None:
        self._shell = shell
        self._future_flags = 0

    def begin(self) -> None:
        """Take IPython's names away: Python's own `exit` ends a script at once."""
        for name in self._shell.user_ns_hidden:
            if not (name.startswith("__") and name.endswith("__")):
                self._shell.user_ns.pop(name, None)

    def code(self, path: str, data: bytes, first: int, last: int) -> CodeType:
        """The statements as code, at the lines where they stand."""
        body = ast.parse(data, path).body[first:last]
        code = compile(ast.Module(body, []), path, "exec", self._future_flags, True)
        self._future_flags |= code.co_flags & ast_future_mask()
        return code

    def run(self, path: str, data: bytes, first: int, last: int) -> tuple[str, int]:
        """How the statements ended, and the exit status that they ask for."""
        text = data.decode("utf-8", "replace")
        linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
        try:
            if first == 0:
                doc = ast.get_docstring(ast.parse(data), clean=False)
                self._shell.user_ns["__doc__"] = doc
            exec(self.code(path, data, first, last), self._shell.user_ns)
        except SystemExit as ending:
            return EXIT, _exit_status(ending)
        except BaseException as error:
            self._show(error, path)
            return ERROR, 1
        finally:
            self._shell.real_stdout.flush()
        return OK, 0

    def _show(self, error: BaseException, path: str) -> None:
        trace = error.__traceback__
        while trace and trace.tb_frame.f_code.co_filename != path:
            trace = trace.tb_next
        lines = traceback.format_exception(type(error), error, trace or error.__traceback__)
        self._shell.outputs.items.append({
            "output_type": "error", "ename": type(error).__name__, "evalue": str(error),
            "traceback": [line.rstrip("\n") for line in lines]})
        sys.__stderr__.write("".join(lines))


def ast_future_mask() -> int:
    """The compiler flags of all `from __future__` imports."""
    import __future__
    mask = 0
    for name in __future__.all_feature_names:
        mask |= getattr(__future__, name).compiler_flag
    return mask


def _exit_status(ending: SystemExit) -> int:
    code = ending.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


