"""A pytest plugin: failing tests are recorded, and recorded runs are tests (docs/pytest.md).

Off unless asked for: nothing of Rex is imported before a test fails or uses it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterator

import pytest

if TYPE_CHECKING:
    from rex.api import Archive

_OPTION = "--rex-record-failures"
_INSIDE = "REX_PYTEST_RECORDS"      # set while a test runs again to be recorded


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.getgroup("rex").addoption(_OPTION, metavar="DIR", help="Run each failing test again, alone, and record it into the "
                                     "archive DIR; print how to replay it.")


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known, and begin to watch where that is asked for."""
    config.addinivalue_line("markers", "replay(archive, experiment): replay a recorded experiment before the test, which fails if the "
                            "replay is not identical")
    archive = config.getoption(_OPTION)
    if archive and _INSIDE not in os.environ:
        config.pluginmanager.register(Recorder(config, os.path.abspath(archive)), "rex-recorder")


class Recorder:
    """Records the tests that fail, after all have run."""

    def __init__(self, config: pytest.Config, archive: str) -> None:
        self._config = config
        self._archive = archive
        self._failed: dict[str, None] = {}
        self._lines: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that failed, in whichever phase."""
        if report.failed:
            self._failed[report.nodeid] = None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Record them, each in a process of its own; a worker of pytest-xdist leaves it to the controller."""
        if hasattr(self._config, "workerinput"):
            return
        for test in self._failed:
            self._lines.append(self._record(test))

    def _record(self, test: str) -> str:
        command = [sys.executable, "-m", "rex", "record", "-q", "-l", self._archive, "--label", f"test={test}", "--",
                   sys.executable, "-m", "pytest", "-p", "no:cacheprovider", test]
        before = self._names()
        done = subprocess.run(command, cwd=self._config.rootpath, env={**os.environ, _INSIDE: "1"}, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, check=False)
        new = [name for name in self._names() if name not in before]
        if not new:
            return f"{test}: not recorded: {done.stderr.strip()}"
        passed = "" if done.returncode else "it passed when it ran alone; "
        return f"{test}: {passed}replay with: rex replay -l {self._archive} -e {new[-1]} -o OUTDIR"

    def _names(self) -> list[str]:
        from rex.api import Archive
        if not os.path.exists(self._archive):
            return []
        return [each.name for each in Archive(self._archive).experiments() if each.state == "complete"]

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print how to replay what was recorded."""
        if self._lines:
            terminalreporter.section("recorded by rex")
            for line in self._lines:
                terminalreporter.write_line(line)


@pytest.fixture
def rex_archive() -> Iterator[Archive]:
    """A new archive that goes when the test ends."""
    from rex.api import Archive
    with Archive.temporary() as archive:
        yield archive


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    """Replay what the marker names, and compare, before the test itself runs."""
    mark = item.get_closest_marker("replay")
    if mark is None:
        return
    import tempfile
    from rex.api import Archive, replay

    def named(archive: str | os.PathLike[str], experiment: str) -> tuple[str, str]:
        return os.fspath(Path(item.path).parent / archive), experiment

    path, name = named(*mark.args, **mark.kwargs)
    with tempfile.TemporaryDirectory(prefix="rex-pytest-") as folder:
        done = replay(Archive(path)[name], os.path.join(folder, "out"))
    if not done.is_identical:
        why = done.divergence or "; ".join(f"{file}: {text}" for file, text in done.differing.items()) or "output or exit status differs"
        pytest.fail(f"the replay of {path}:{name} is not identical: {why}", pytrace=False)
