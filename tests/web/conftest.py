"""What the tests of the page share: an archive, the application over it, and runs without an engine."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

for _name in ("starlette", "uvicorn", "jinja2", "httpx"):
    pytest.importorskip(_name, reason=f"{_name} is not installed (the extras web and test)")

with warnings.catch_warnings():   # newer versions would rather have httpx2, and do with httpx
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from rex.runnew import LiveUse, RunOutcome, RunPlan, plan_run   # noqa: E402
from rex.web.app import make_app   # noqa: E402
from rex.web.keys import Keys   # noqa: E402
from rex.web.services import Services   # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "unit"))
from cli.builders import Bench   # noqa: E402

from commands import rex   # noqa: E402

from .browser import WAIT_S, Page, lay_out, served   # noqa: E402

BASE = "http://localhost:7490"
Behaviour = Callable[["DoubleRun"], int]


@dataclass
class DoubleRun:
    """Stands for a live run: a function writes its output and gives its wait status."""

    plan: RunPlan
    stdout: int
    stderr: int
    behaviour: Behaviour
    outputs: tuple[tuple[str, str], ...] = ()
    experiment: str | None = None
    cancelled: threading.Event = field(default_factory=threading.Event)
    pid: int = 0

    def write(self, stream: int, data: bytes) -> None:
        """Write as the program would."""
        os.write(self.stdout if stream == 1 else self.stderr, data)

    def cancel(self) -> None:
        self.cancelled.set()

    def wait(self) -> RunOutcome:
        began = time.monotonic()
        try:
            status = self.behaviour(self)
        finally:
            os.close(self.stdout)
            os.close(self.stderr)
        return RunOutcome(status, self.cancelled.is_set(), self.outputs, (LiveUse("time", ""),), self.experiment, (),
                          time.monotonic() - began)


class Engine:
    """A service that starts doubles; what they do can be set."""

    def __init__(self) -> None:
        self.behaviour: Behaviour = lambda run: 0
        self.failure: Exception | None = None
        self.runs: list[DoubleRun] = []

    def start(self, plan: RunPlan, stdin: int | None = None, stdout: int | None = None,
              stderr: int | None = None) -> Any:
        assert stdout is not None and stderr is not None and stdin is not None
        if self.failure:
            raise self.failure
        self.runs.append(DoubleRun(plan, os.dup(stdout), os.dup(stderr), self.behaviour))
        return self.runs[-1]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A new archive."""
    return Bench(tmp_path / "A")


@pytest.fixture
def engine() -> Engine:
    """What runs new experiments."""
    return Engine()


@pytest.fixture
def keys() -> Keys:
    """What gives tokens and knows sessions."""
    return Keys()


@pytest.fixture
def stranger(bench: Bench, engine: Engine, keys: Keys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A client without the key."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TZ", "UTC")
    app = make_app(bench.path, Services(plan_run, engine.start), keys)
    with TestClient(app, base_url=BASE, follow_redirects=False) as client:
        yield client


@pytest.fixture
def client(stranger: TestClient, keys: Keys) -> TestClient:
    """A client that opened an address with a token."""
    assert stranger.get(f"/?token={keys.new_token()}").status_code == 200
    stranger.headers["origin"] = BASE
    return stranger


def wish(experiment: str = "exp0", **changes: Any) -> dict[str, Any]:
    """What the page sends to run an experiment."""
    return {"experiment": experiment, "command": None, "cwd": None, "set": {}, "unset": [], "apps": {}, "files": {},
            "added": [], "outdir": "out", "record": False, "name": None, **changes}


def wait_until_over(client: TestClient, address: str) -> str:
    """The page of a run, once it is over."""
    end = time.monotonic() + WAIT_S
    while time.monotonic() < end:
        run = client.app.state.site.runs.get(address.rsplit("/", 1)[1])   # type: ignore[attr-defined]
        if run.is_over:
            return client.get(address).text
        time.sleep(0.01)
    raise AssertionError("the run does not end")


TREE = """echo begun "$1"
sleep "$1" &
sh -c 'sleep "$0" | cat' "$1" &
sleep "$1"
wait
"""

WAIT = """echo begun "$1"
until [ -e "$1" ]; do sleep 0.05; done
echo '<b>ended</b>' "$1"
"""


@pytest.fixture(scope="package")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recorded search of which everything is gone but a newer blastn; a tree of sleepers; one who waits for a file."""
    top = tmp_path_factory.mktemp("story")
    lay_out(top / "blast")
    archive = str(top / "EXP")
    rex("record", "-q", "-l", archive, "--", "./blast", "in.seq", "in.db", "20", cwd=top / "blast")
    (top / "tree.sh").write_text(TREE)
    rex("record", "-q", "-l", archive, "-e", "sleepers", "--", "sh", "tree.sh", "0.01", cwd=top)
    (top / "ready").touch()
    rex("record", "-q", "-l", archive, "-e", "waiter", "--", "sh", "-c", WAIT, "sh", "./ready", cwd=top)
    rex("default", f"{archive}:exp0", cwd=top)
    (top / "blast" / "newer").rename(top / "newer")
    shutil.rmtree(top / "blast")
    return top


@pytest.fixture(scope="package")
def tab() -> Iterator[Page]:
    """A tab of a browser."""
    with Page() as page:
        yield page


@pytest.fixture
def page(tab: Page) -> Page:
    """The tab, with nothing open and an empty console: what pages of other tests complain about is not this test's."""
    tab.open("about:blank")
    tab.complaints()
    return tab


@pytest.fixture(scope="package")
def address(place: Path) -> Iterator[str]:
    """The address that `rex runnew` prints for the recorded search."""
    with served(place, "-l", "EXP", "--port", "17490") as (found, _):
        yield found
