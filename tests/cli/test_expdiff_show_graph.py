"""rex show --graph"""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from rex.archive import Archive, Manifest
from rex.cli.group import cli
from rex.errors import UsageError
from rex.log import Event, LogWriter
from rex.log.records import TASK


def test_three_forms_and_one_at_a_time(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "A")
    with archive.begin(None, {}) as recording:
        with LogWriter(recording.log_path) as log:
            log.append(Event(TASK, args=(2**32 - 1, 0, 0, 5, 5, 0)))
        recording.finish(Manifest(("true",)))

    def rex(*args: str) -> str:
        return CliRunner().invoke(cli, ["show", str(tmp_path / "A"), *args], standalone_mode=False).stdout
    assert rex("--graph", "dot").startswith("digraph") and rex("--graph", "svg").startswith("<svg")
    assert "rex:p0" in json.loads(rex("--graph", "prov"))["activity"]
    result = CliRunner().invoke(cli, ["show", str(tmp_path / "A"), "--graph", "dot", "--env"], standalone_mode=False)
    assert isinstance(result.exception, UsageError)
