"""What a cell shows: streams, displays, its result, its error, as a notebook file has them."""

from __future__ import annotations

import base64
import sys
from typing import Any, Callable

# Text of one stream, and of all outputs of one cell, that is kept; longer output is cut.
STREAM_CHARS, CELL_BYTES = 1 << 20, 32 << 20
INLINE_CHARS = 2048   # longer texts become objects of the archive

UPDATE = "update_display_data"     # kind of an output that changes others of its display id

Output = dict[str, Any]


class OutputCapture:
    """Listens to a cell's outputs; nothing is replaced but methods of instances, while the cell runs."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._outputs: list[Output] = []
        self._undo: list[Callable[[], None]] = []
        self._is_result = False
        self._size = 0

    def start(self) -> None:
        """Begin to listen."""
        self._outputs, self._size = [], 0
        for name in ("stdout", "stderr"):
            self._wrap(getattr(sys, name), "write", lambda text, name=name: self._stream(name, text))
        self._wrap(self._shell.display_pub, "publish", self._display)
        hook = self._shell.displayhook
        self._wrap(hook, "start_displayhook", lambda: self._result_begins(True))
        self._wrap(hook, "finish_displayhook", lambda: self._result_begins(False))
        self._wrap(hook, "write_format_data", self._result)

    def stop(self) -> list[Output]:
        """Stop to listen; what there was."""
        while self._undo:
            self._undo.pop()()
        return self._outputs

    def _wrap(self, owner: Any, name: str, listen: Callable[..., None]) -> None:
        before = getattr(owner, "__dict__", {}).get(name)
        original = getattr(owner, name, None)
        if original is None:
            return

        def heard(*args: Any, **kwargs: Any) -> Any:
            try:
                listen(*args, **kwargs)
            except Exception:   # the user's output comes first
                pass
            return original(*args, **kwargs)

        try:
            setattr(owner, name, heard)
        except (AttributeError, TypeError):
            return
        self._undo.append(lambda: setattr(owner, name, before) if before else delattr(owner, name))

    def _stream(self, name: str, text: Any) -> None:
        if self._is_result or not isinstance(text, str) or not text:
            return
        last = self._outputs[-1] if self._outputs else None
        if last is None or last.get("name") != name:
            last = {"output_type": "stream", "name": name, "text": [], "chars": 0}
            self._outputs.append(last)
        if last["chars"] < STREAM_CHARS:
            last["text"].append(text)
        last["chars"] += len(text)

    def _display(self, data: Any = None, metadata: Any = None, *args: Any, update: bool = False,
                 transient: Any = None, **_: Any) -> None:
        display_id = transient.get("display_id") if isinstance(transient, dict) else None
        if isinstance(data, dict) and (display_id is not None or not update):
            self._add(UPDATE if update else "display_data", data, display_id)

    def _result_begins(self, is_result: bool) -> None:
        self._is_result = is_result

    def _result(self, data: dict[str, Any], *_: Any) -> None:
        self._add("execute_result", data)

    def _add(self, kind: str, data: dict[str, Any], display_id: Any = None) -> None:
        kept: dict[str, Any] = {}
        for mime, value in data.items():
            if isinstance(value, bytes):
                value = base64.b64encode(value).decode()
            self._size += len(value) if isinstance(value, str) else 1000
            if self._size < CELL_BYTES:
                kept[mime] = value
        self._outputs.append({"output_type": kind, "data": kept, "metadata": {},
                              **({} if display_id is None else {"display_id": str(display_id)})})


def error_output(error: BaseException) -> Output:
    """The output of a cell that raised; without its traceback."""
    try:
        text = str(error)
    except Exception:   # objects raise what they like
        text = "(it cannot be shown)"
    return {"output_type": "error", "ename": type(error).__name__, "evalue": text[:4000],
            "traceback": []}


def text_of(output: Output) -> str:
    """What an output shows, as text; of other kinds of data their names."""
    if output["output_type"] == "stream":
        return str(output.get("text"))
    if output["output_type"] == "error":
        return f"{output.get('ename')}: {output.get('evalue')}"
    return str(output["data"].get("text/plain", ", ".join(output["data"])))


def pack(outputs: list[Output], keep: Callable[[bytes], list[Any]]) -> list[Output]:
    """Outputs as JSON; `keep` stores long texts and tells a reference."""
    def packed(value: Any) -> Any:
        if isinstance(value, str) and len(value) > INLINE_CHARS:
            return {"content": keep(value.encode("utf-8", "surrogatepass"))}
        return value

    found = []
    for output in outputs:
        one = dict(output)
        if "chars" in one:
            text = "".join(one["text"])[:STREAM_CHARS]
            if one.pop("chars") > STREAM_CHARS:
                text += "\n(cut)"
            one["text"] = packed(text)
        if "data" in one:
            one["data"] = {mime: packed(_plain(value)) for mime, value in one["data"].items()}
        found.append(one)
    return found


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, (str, int, float, bool)):
        return value
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return str(value)


def unpack(outputs: Any, read: Callable[[list[Any]], bytes]) -> list[Output]:
    """Outputs with their long texts; what an archive holds may be anything, and is made to fit."""
    def text(value: Any) -> Any:
        if isinstance(value, dict) and isinstance(value.get("content"), list):
            return read(value["content"]).decode("utf-8", "replace")
        return value

    found: list[Output] = []
    for one in outputs if isinstance(outputs, list) else []:
        kind = one.get("output_type") if isinstance(one, dict) else None
        if kind == "stream":
            name = "stderr" if one.get("name") == "stderr" else "stdout"
            found.append({"output_type": kind, "name": name, "text": str(text(one.get("text", "")))})
        elif kind in ("display_data", "execute_result", UPDATE) and isinstance(one.get("data"), dict):
            data = {str(mime): text(value) for mime, value in one["data"].items()}
            found.append({"output_type": kind, "data": data, "metadata": {},
                          **({"display_id": str(one["display_id"])} if "display_id" in one else {})})
        elif kind == "error":
            found.append({"output_type": kind, "ename": str(one.get("ename", "")),
                          "evalue": str(one.get("evalue", "")), "traceback": []})
    return found


class Displays:
    """Outputs as they stand in a notebook file: those that were updated later show the update."""

    def __init__(self) -> None:
        self._by_id: dict[str, list[Output]] = {}

    def place(self, outputs: list[Output]) -> list[Output]:
        """The outputs of the next cell without its updates; outputs that were placed before may change."""
        placed = []
        for output in outputs:
            display_id = output.pop("display_id", None)
            if output["output_type"] == UPDATE:
                for shown in self._by_id.get(display_id, ()):
                    shown["data"] = output["data"]
                continue
            if display_id is not None:
                self._by_id.setdefault(display_id, []).append(output)
            placed.append(output)
        return placed
