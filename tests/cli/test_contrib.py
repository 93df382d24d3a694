"""contrib/, as far as it can be tried without the services that it is for."""

from __future__ import annotations

import configparser
import re
import subprocess
from pathlib import Path

import pytest

import rex
from commands import ROOT, environment, put_on_path

CONTRIB = ROOT / "contrib"


@pytest.fixture
def path(tmp_path: Path) -> str:
    """PATH with a `rex` and a `python` that are this tree's."""
    return put_on_path(tmp_path / "bin")


@pytest.mark.usefixtures("tracing")
def test_tasks_of_a_job_array_share_an_archive(tmp_path: Path, path: str) -> None:
    jobs = [subprocess.Popen(["sh", str(CONTRIB / "slurm" / "array.sh"), "sh", "-c", "exit $0"], cwd=tmp_path, env=environment(
        PATH=path, SLURM_SUBMIT_DIR=str(tmp_path), SLURM_ARRAY_JOB_ID="7", SLURM_ARRAY_TASK_ID=str(seed))) for seed in range(3)]
    assert [job.wait() for job in jobs] == [0, 1, 2]
    found = {each.name: each for each in rex.Archive(tmp_path / "EXP")}
    assert sorted(found) == ["job7-0", "job7-1", "job7-2"]
    assert found["job7-2"].labels == {"seed": "2", "job": "7"} and found["job7-2"].exit_status == 2


@pytest.mark.usefixtures("tracing")
def test_the_steps_of_the_action(tmp_path: Path, path: str) -> None:
    text = (CONTRIB / "github-action" / "action.yml").read_text(encoding="utf-8")
    run, = re.findall(r"run: (python -m pytest .*)", text)
    after, = re.findall(r"run: \|\n((?:        .*\n)+)", text)
    (tmp_path / "test_it.py").write_text("def test_fails(): assert 0\n", encoding="ascii")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="ascii")
    env = environment(PATH=path, ARCHIVE="failures", ARGUMENTS="", GITHUB_STEP_SUMMARY=str(tmp_path / "summary"),
                      PYTEST_ADDOPTS="-p no:rex_replay -p rex.pytest_plugin")
    assert subprocess.run(["bash", "-ec", run], cwd=tmp_path, env=env, capture_output=True, check=False).returncode == 1
    subprocess.run(["bash", "-ec", after], cwd=tmp_path, env=env, check=True)
    assert "rex replay -o out -l FAILURES -e exp0" in (tmp_path / "summary").read_text(encoding="utf-8")
    assert [each.name for each in rex.Archive(tmp_path / "copy", create=True).import_from(tmp_path / "rex-failures.rex")] == ["exp0"]


def test_versions_and_needs_are_those_of_the_distribution() -> None:
    project = configparser.ConfigParser()
    project.read(ROOT / "setup.cfg", encoding="utf-8")
    recipe = (CONTRIB / "conda" / "meta.yaml").read_text(encoding="utf-8")
    assert f'version = "{rex.__version__}"' in recipe
    assert all(f"- {each.replace('>=', ' >=')}\n" in recipe for each in project["options"]["install_requires"].split())
    assert f"\nversion: {rex.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"'{project['metadata']['name']}[all]'" in (CONTRIB / "docker" / "Dockerfile").read_text(encoding="utf-8")
