"""The processes of a replay: each runs a piece of the script, and tells what it finds."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any, Iterator

from rex.errors import OwnFailure, RexError, UsageError
from rex.hindsight.ahead import Ends, Wanted, make_ends, send
from rex.hindsight.files import place_apart
from rex.hindsight.processes import RUN, python_path

_MOST_BYTES = 1 << 16
_BURST_S, _GATHER_S = 0.02, 0.01     # what comes sooner than that is a burst


class Worker:
    """One process; its events are read as they come, and handed out in turn."""

    def __init__(self, job: dict[str, Any], work: str, wanted: list[Wanted]) -> None:
        """Start it.

        Args:
            job: see replay.py; `environment`, `cwd` and `recorded_status` are for us.
            work: a folder for its files.
            wanted: checkpoints to read ahead for it.
        """
        self._job, self._work = dict(job), work
        self._begin(wanted)

    def _begin(self, wanted: list[Wanted]) -> None:
        read_end, write_end = os.pipe()
        ours, theirs = make_ends() if wanted else (None, None)
        self._process = self._start(write_end, theirs)
        os.close(write_end)
        if ours and theirs:
            theirs.close()
            threading.Thread(target=send, args=(self._job["archive"], wanted, ours), daemon=True).start()
        self._lines: queue.SimpleQueue[list[bytes] | None] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(read_end, self._lines), daemon=True).start()

    def _start(self, events: int, ahead: Ends | None) -> subprocess.Popen[bytes]:
        scratch = tempfile.mkdtemp(prefix="files", dir=self._work)
        self._errors = os.path.join(scratch, "stderr")
        path = os.path.join(scratch, "job.json")
        kept = self._job["environment"]
        here = {name: os.environ[name] for name in self._job["withheld"] if name in os.environ}
        ends = (ahead.heads, ahead.done, ahead.room) if ahead else ()
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**self._job, "environment": None, "events": events, "ahead": ends, "scratch": scratch}, file)
        with open(self._errors, "wb") as errors:
            return subprocess.Popen(
                [sys.executable, "-c", RUN, path], cwd=self._job["cwd"], pass_fds=[events, *ends],
                env={**kept, "PYTHONPATH": python_path(kept), **here}, stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=errors)

    def events(self) -> Iterator[dict[str, Any]]:
        """What the worker tells, until it ends.

        Raises:
            UsageError: the script failed. OwnFailure: the process ended without saying so.
        """
        last: dict[str, Any] = {"e": ""}
        shown = known = 0      # of what probes print; how much of it has been told already
        for line in self._told():
            last = event = json.loads(line)
            if event["e"] == "stuck":
                yield {"e": "note", "key": "stuck", "text":
                       f"begun at the start, not at {event['position']}: {event['why']}"}
                self._again({"start": "", "quiet": event["position"]})
            elif event["e"] == "regret":
                yield {"e": "note", "key": "regret", "text": f"nothing skipped: {event['why']}"}
                self._again({"start": "", "quiet": self._job["start"] or self._job["quiet"], "runs_all": True})
                shown, known = 0, max(shown, known)
            elif event["e"] in ("probe", "value"):
                shown += 1
                if shown > known:
                    yield event
            elif event["e"] != "lost":
                yield event
        status = self._process.wait()
        if last["e"] == "failed":
            raise UsageError(last["what"], last["why"], last["advice"])
        if last["e"] != "end" or status not in (0, self._job["recorded_status"]):
            raise self._failure(last, status)

    def _told(self) -> Iterator[str]:
        """The lines of the process, and of those begun in its place meanwhile."""
        while (lines := self._lines.get()) is not None:
            for line in lines:
                yield line.decode("utf-8", "surrogateescape")

    def _again(self, other: dict[str, Any]) -> None:
        """Begin anew, told otherwise."""
        self.stop()
        self._job |= other
        self._begin([])

    def _failure(self, last: dict[str, Any], status: int) -> RexError:
        with open(self._errors, encoding="utf-8", errors="replace") as file:
            told = file.read().strip()
        why = told.splitlines()[-1] if told else f"it never came to {last['position']}" \
            if last["e"] == "lost" else f"status {status}"
        kind = UsageError if last["e"] in ("lost", "end") else OwnFailure
        error = kind("the replay broke off", why, "see the lines above" if told else
                     "is this the script that was recorded?")
        error.add_note(told + "\n" if told else "")
        return error

    def stop(self) -> None:
        """End the worker."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()


def _read(fd: int, lines: queue.SimpleQueue[list[bytes] | None]) -> None:
    """Hand over what comes. What comes at once after that is gathered: a worker that tells of every step would have
    us take its processor each time."""
    rest, read_s = b"", 0.0
    while data := os.read(fd, _MOST_BYTES):
        *whole, rest = (rest + data).split(b"\n")
        lines.put(whole)
        before_s, read_s = read_s, time.monotonic()
        if read_s - before_s < _BURST_S:
            time.sleep(_GATHER_S)
    os.close(fd)
    lines.put(None)


def do_piece(job: dict[str, Any]) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Do a piece on the machine of a cluster's worker: its events, and what failed (what, why, advice, lines)."""
    events: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="rex-", dir=place_apart(job["written"])) as work:
        worker = Worker(job, work, [])
        try:
            for event in worker.events():
                events.append(event)
        except RexError as error:
            return events, (error.what, error.why, error.advice, *error.__notes__)
        finally:
            worker.stop()
    return events, ()
