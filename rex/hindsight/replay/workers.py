"""The processes of a replay: each runs a piece of the script, and tells what it finds."""

from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import tempfile
import threading
import time
from typing import TYPE_CHECKING, Any, Iterable, Iterator

from rex.archive import COMPLETE
from rex.cluster import connect, in_order, worker_count
from rex.errors import OwnFailure, RexError, UsageError
from rex.hindsight.replay.choice import Options, Recorded
from rex.hindsight.replay.gathered import with_content
from rex.hindsight.replay.private import private_folders
from rex.hindsight.run.processes import Process
from rex.hindsight.run.room import make_ends
from rex.values import dataclass

if TYPE_CHECKING:
    from rex.hindsight.run.read_ahead import Wanted

_MOST_BYTES = 1 << 16
_BURST_S, _GATHER_MS = 0.02, 10     # what comes sooner than that is a burst


@dataclass(frozen=True, slots=True)
class Home:
    """What processes begin with, whatever they are to do.

    Attributes:
        cwd: the working directory.
        environment: that of the recording, as far as it was kept.
        withheld: names of variables whose values are those of here.
        written: folders that each sees as they were before the run.
        covered: others below which added statements are likely to write, for themselves alone.
    """

    cwd: str
    environment: dict[str, str]
    withheld: list[str]
    written: list[str]
    covered: list[str]


def _home_of(recorded: Recorded) -> Home:
    head = recorded.run.head
    kept = head.get("environment") or (     # former recordings have it in the manifest alone
        recorded.experiment.manifest.environment if recorded.experiment.state == COMPLETE else dict(os.environ))
    return Home(os.getcwd(), {**kept, "PYTHONHASHSEED": head["hash_seed"]}, head["withheld"],
                private_folders(recorded.run, recorded.script),
                sorted({os.getcwd(), os.path.dirname(os.path.abspath(recorded.script))}))


def begin(options: Options, recorded: Recorded) -> Workers | Cluster:
    """Those that are to replay a run, here or on a cluster; for `with`.

    Raises:
        UsageError: there is no such cluster.
    """
    home = _home_of(recorded)
    return Cluster(options.dask, home) if options.dask else Workers(home)


class Workers:
    """The processes of a replay on this machine. One begins at once: while it imports, it is found out what is to be done.

    Attributes:
        count: how many share the work, unless the user says so.
    """

    def __init__(self, home: Home) -> None:
        self.count = 1
        self.home = home
        self._folder = tempfile.TemporaryDirectory(prefix="rex-", dir=_place_apart([*home.written, *home.covered]))
        self._made = [Worker(home, self._folder.name)]
        self._given = 0     # how many have their jobs

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: Any) -> None:
        for worker in self._made:
            worker.stop()
        self._folder.cleanup()

    def events(self, jobs: list[dict[str, Any]], wanted: list[list[Wanted]], at_once: int) -> Iterator[dict[str, Any]]:
        """What the workers of these jobs tell, one after the other.

        Args:
            wanted: checkpoints to read ahead for each.
            at_once: how many run side by side.
        """
        for number in range(len(jobs)):
            for begun in range(self._given, min(number + at_once, len(jobs))):
                if begun:
                    self._made.append(Worker(self.home, self._folder.name))
                self._made[begun].give(jobs[begun], wanted[begun])
                self._given += 1
            yield from self._made[number].events()


class Cluster:
    """The workers of a Dask cluster.

    Attributes:
        count: how many share the work, unless the user says so.
    """

    def __init__(self, address: str, home: Home) -> None:
        self.home = home
        self._client = connect(address)
        self.count = worker_count(self._client)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: Any) -> None:
        self._client.close()

    def events(self, jobs: list[dict[str, Any]], wanted: list[list[Wanted]], at_once: int) -> Iterator[dict[str, Any]]:
        """See `Workers.events`; each reads its checkpoints itself."""
        for events, failure in in_order(self._client, do_piece, [(self.home, job) for job in jobs]):
            yield from events
            if failure:
                error = UsageError(*failure[:3])
                error.add_note("".join(failure[3:]))
                raise error


class Worker:
    """One process; its events are read as they come, and handed out in turn."""

    def __init__(self, home: Home, work: str) -> None:
        """Start it; it waits for its job.

        Args:
            work: a folder for its files.
        """
        self._home, self._work = home, work
        self._job: dict[str, Any] = {}
        self._begin()

    def _begin(self) -> None:
        read_end, write_end = os.pipe()
        self._ends, theirs = make_ends()
        fds = theirs.heads, theirs.done, theirs.room
        scratch = tempfile.mkdtemp(prefix="files", dir=self._work)
        self._has = {"events": write_end, "ahead": fds, "scratch": scratch}
        self._errors = os.path.join(scratch, "stderr")
        here = {name: os.environ[name] for name in self._home.withheld if name in os.environ}
        with open(self._errors, "wb") as errors:
            self._process = Process("replay", {**self._home.environment, **here}, (write_end, *fds), cwd=self._home.cwd,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)
        os.close(write_end)
        theirs.close()
        self._lines: queue.SimpleQueue[list[bytes] | None] = queue.SimpleQueue()
        threading.Thread(target=_read, args=(read_end, self._lines), daemon=True).start()

    def give(self, job: dict[str, Any], wanted: list[Wanted]) -> None:
        """Let it do a job.

        Args:
            wanted: checkpoints to read ahead for it.
        """
        from rex.hindsight.run.read_ahead import send    # what that needs is imported while the worker imports
        self._job = job
        self._process.give({**job, **self._has})
        if wanted:
            threading.Thread(target=send, args=(job["archive"], wanted, self._ends), daemon=True).start()
        else:
            self._ends.close()

    def events(self) -> Iterator[dict[str, Any]]:
        """What the worker tells, until it ends.

        Raises:
            UsageError: the script failed. OwnFailure: the process ended without saying so.
        """
        last: dict[str, Any] = {"e": ""}
        shown = known = 0      # of what probes print; how much of it has been passed on already
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
            elif event["e"] in ("probe", "value", "saved"):
                shown += 1
                if shown > known:
                    yield event
            elif event["e"] != "lost":
                yield event
        status = self._process.popen.wait()
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
        """Begin again, with another request."""
        self.stop()
        self._begin()
        self.give({**self._job, **other}, [])

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
        if self._process.popen.poll() is None:
            self._process.popen.kill()
        self._process.popen.wait()


def _read(fd: int, lines: queue.SimpleQueue[list[bytes] | None]) -> None:
    """Hand over what comes. What comes at once after that is gathered: a worker that reports every step would have
    us take its processor each time."""
    rest, read_s = b"", 0.0
    end = select.poll()
    end.register(fd, 0)      # only of the other side's end it tells then
    while data := os.read(fd, _MOST_BYTES):
        *whole, rest = (rest + data).split(b"\n")
        lines.put(whole)
        before_s, read_s = read_s, time.monotonic()
        if read_s - before_s < _BURST_S:
            end.poll(_GATHER_MS)
    os.close(fd)
    lines.put(None)


def _place_apart(folders: Iterable[str]) -> str:
    """Where temporary files may lie that are in none of these folders: what an overlay covers cannot hold it."""
    places = [os.path.realpath(place) for place in ("/var/tmp", tempfile.gettempdir(), "/dev/shm")]
    covered = tuple(folder.rstrip(os.sep) + os.sep for folder in folders)
    return next((place for place in places if not (place + os.sep).startswith(covered) and os.access(place, os.W_OK)), places[0])


def do_piece(task: tuple[Home, dict[str, Any]]) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    """Do a piece on the machine of a cluster's worker: its events, and what failed (what, why, advice, lines)."""
    home, job = task
    events: list[dict[str, Any]] = []
    with Workers(home) as workers:
        try:
            for event in workers.events([job], [[]], 1):
                events.append(with_content(event))
        except RexError as error:
            return events, (error.what, error.why, error.advice, *error.__notes__)
    return events, ()
