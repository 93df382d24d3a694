"""Comparisons by meaning, as others ask for them: in a process of its own, with limits."""

from __future__ import annotations

import base64
import json
import os
import selectors
import subprocess
import sys
import time
from typing import Any

from rex import limits
from rex.contents.compare import Verdict, detect
from rex.contents.picture import Picture
from rex.contents.rules import BYTES, Rules
from rex.contents.tally import DIFFERENT
from rex.types import format_size

_PAIR_SECONDS = 60        # for one pair of contents
_ALL_SECONDS = 600.0      # for all of a comparison that rules decide
_TOLD_SECONDS = 20      # where verdicts are for the reader alone
_MEMORY_PART = 8          # of the memory that a content may take
_MOST_MEMORY = 4 << 30
_HEAD_BYTES = 4096
_ONE_THREAD = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "ARROW_IO_THREADS")}


class Comparer:
    """Compares contents by meaning; the process that does it starts with the first that needs it."""

    def __init__(self, rules: Rules, pair_seconds: int = _PAIR_SECONDS, memory_bytes: int = 0, all_seconds: float = 0.0) -> None:
        """The process starts later.

        Args:
            memory_bytes: what the process may take; 0: what a command may take for archives, and at most 4 GiB.
            all_seconds: for all pairs; 0: as many as the use needs.
        """
        self.rules = rules
        self._pair_seconds = pair_seconds if rules.is_set else min(pair_seconds, _TOLD_SECONDS)
        self._memory_bytes = memory_bytes or min(limits.memory_bytes(), _MOST_MEMORY)
        self.limit_bytes = self._memory_bytes // _MEMORY_PART
        self._seconds_left: float = all_seconds or (_ALL_SECONDS if rules.is_set else _TOLD_SECONDS)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Comparer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process."""
        if self._process:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe:
                    pipe.close()
            self._process = None

    def is_wanted(self, name: str, heads: tuple[bytes, bytes]) -> bool:
        """Whether more than bytes can be compared.

        Args:
            heads: what the contents begin with.
        """
        kind = self.rules.format_of(name)
        return kind != BYTES if kind else detect(name, heads[0]) != BYTES or detect(name, heads[1]) != BYTES

    def compare(self, name: str, left: str, right: str) -> Verdict:
        """Compare two files whose bytes differ; name: of the content, which helps to know its format."""
        if max(os.path.getsize(left), os.path.getsize(right)) > self.limit_bytes:
            return self.too_large()
        heads = []
        for path in (left, right):
            with open(path, "rb") as file:
                heads.append(file.read(_HEAD_BYTES))
        if not self.is_wanted(name, (heads[0], heads[1])):
            return Verdict(DIFFERENT, "")
        told = self._ask({"name": name, "files": [os.path.abspath(left), os.path.abspath(right)], "rules": self.rules.as_json()})
        if "trouble" in told:
            return Verdict(DIFFERENT, f"not compared by meaning: {told['trouble']}")
        return Verdict(told.pop("outcome"), told.pop("sentence"), told.pop("format"), told)

    def draw(self, name: str, left: str, right: str) -> Picture | str:
        """A picture of how two files differ that are pictures, or why there is none."""
        if max(os.path.getsize(left), os.path.getsize(right)) > self.limit_bytes:
            return f"larger than {format_size(self.limit_bytes)} (rex --max-memory)"
        told = self._ask({"name": name, "files": [os.path.abspath(left), os.path.abspath(right)], "is_drawn": True})
        return str(told["trouble"]) if "trouble" in told else Picture(told["suffix"], base64.b64decode(told["picture"]))

    def too_large(self) -> Verdict:
        """The verdict on contents above the limit."""
        return Verdict(DIFFERENT, f"not compared by meaning: larger than {format_size(self.limit_bytes)} (rex --max-memory)")

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer of the process; `trouble` says why there is none."""
        if self._seconds_left <= 0:
            return {"trouble": "all others took too long"}
        began = time.monotonic()
        try:
            return self._exchange(request)
        finally:
            self._seconds_left -= time.monotonic() - began

    def _exchange(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self._process = self._process or self._start()
        assert process.stdin and process.stdout
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            pass    # it ended: the answer will say so
        answer = self._answer(process.stdout)
        if answer is None:
            self.close()
            return {"trouble": f"that takes more than {self._pair_seconds} s"}
        if not answer.endswith(b"\n"):
            status = process.wait()
            self.close()
            return {"trouble": f"its reader ended with {status}"}
        told: dict[str, Any] = json.loads(answer)
        return told

    def _start(self) -> "subprocess.Popen[bytes]":
        top = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        path = os.pathsep.join(filter(None, (top, os.environ.get("PYTHONPATH", ""))))
        return subprocess.Popen([sys.executable, "-P", "-m", "rex.contents.worker", str(self._memory_bytes), str(self.limit_bytes), str(self._pair_seconds)],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                env={**os.environ, **_ONE_THREAD, "PYTHONPATH": path})

    def _answer(self, pipe: Any) -> bytes | None:
        """The next line of the process, or what it wrote before it ended; None where it takes too long."""
        deadline = time.monotonic() + self._pair_seconds + 5     # its own alarm comes first
        data = b""
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            while not data.endswith(b"\n"):
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    return None
                block = os.read(pipe.fileno(), 1 << 16)
                if not block:
                    break
                data += block
        return data
