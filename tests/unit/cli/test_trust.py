"""What runs code of an archive says so in its help."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from rex.cli.group import cli


@pytest.mark.parametrize("command", ["replay", "runnew", "hindsight replay", "notebook resume", "notebook checkout", "record"])
def test_commands_that_run_code_of_an_archive_say_so(command: str) -> None:
    told = " ".join(CliRunner().invoke(cli, [*command.split(), "--help"]).output.split())
    assert "with your rights" in told and ("trust" in told or "only what you would run" in told)
